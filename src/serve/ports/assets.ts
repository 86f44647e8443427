/** A picture the gateway hands out by address for a while. */
export interface Asset {
  readonly mediaType: string
  readonly bytes: number
  readonly expiresAtMs: number
  readonly content: ReadableStream<Uint8Array> | Blob
}

/**
 * Where pictures are kept that a client wants by address and a supplier gave as bytes. Nobody can list it or guess an
 * address; an address that was altered or whose time is over finds nothing.
 */
export interface AssetStore {
  /** Gives the path under this gateway's own address, signed and with its end in it. */
  save(
    content: Uint8Array,
    mediaType: string,
  ): Promise<{ readonly path: string; readonly expiresAtMs: number }>
  /** `name` and `query` as they stand in the path that was given out; null when there is no such asset now. */
  find(name: string, query: URLSearchParams): Promise<Asset | null>
  /** Deletes some whose time is over; how many. */
  deleteExpired(nowMs: number, atMost: number): Promise<number>
}
