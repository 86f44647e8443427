import type { ImageSource } from '../../conversation/part.ts'

/** Gets a picture from a public address; refuses with a GatewayError what is not one. */
export type FetchImage = (url: string, signal: AbortSignal) => Promise<ImageSource & { type: 'base64' }>
