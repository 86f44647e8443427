/** An image that clients can fetch by URL for a while. */
export interface Asset {
  readonly mediaType: string
  readonly bytes: number
  readonly expiresAtMs: number
  readonly content: ReadableStream<Uint8Array> | Blob
}

/**
 * Stores images that a client wants by URL and a supplier returned as bytes. URLs are signed: they cannot be listed or
 * guessed, and one that was changed or has expired finds nothing.
 */
export interface AssetStore {
  /** Returns the signed path under this gateway's address, which includes the time when it expires. */
  save(
    content: Uint8Array,
    mediaType: string,
  ): Promise<{ readonly path: string; readonly expiresAtMs: number }>
  /** `name` and `query` are those of the path that `save` returned; null when there is no such asset now. */
  find(name: string, query: URLSearchParams): Promise<Asset | null>
  /** Deletes expired assets, at most so many, and returns their number. */
  deleteExpired(nowMs: number, atMost: number): Promise<number>
}
