import type { ImageSource } from '../../conversation/part.ts'
import type { Exchange } from './exchange.ts'

/** The client that waits for an image. */
export interface ImageClient extends Pick<Exchange, 'onLeave'> {
  /** How long the request may still take; absent when something else ends it in time. */
  remainingMs?(): number
}

/** Fetches an image from a public URL while the client waits. Throws a GatewayError when it is not an image. */
export type FetchImage = (url: string, client: ImageClient) => Promise<ImageSource & { type: 'base64' }>
