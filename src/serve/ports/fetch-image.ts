import type { ImageSource } from '../../conversation/part.ts'
import type { Exchange } from './exchange.ts'

/** Whoever waits for a picture. */
export interface ImageClient extends Pick<Exchange, 'onLeave'> {
  /** How long the request may still take; absent when something else ends it in time. */
  remainingMs?(): number
}

/** Gets a picture from a public address while the client waits; refuses with a GatewayError what is not one. */
export type FetchImage = (url: string, client: ImageClient) => Promise<ImageSource & { type: 'base64' }>
