import type { ImageSource } from '../../conversation/part.ts'
import type { Exchange } from './exchange.ts'

/** Gets a picture from a public address while the client waits; refuses with a GatewayError what is not one. */
export type FetchImage = (
  url: string,
  client: Pick<Exchange, 'onLeave'>,
) => Promise<ImageSource & { type: 'base64' }>
