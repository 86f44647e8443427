import type { AssetPlace } from './asset-address.ts'

/** Where the bytes of assets lie. */
export interface AssetFiles {
  /** After it resolves the asset is there whole; before, or when it fails, not at all. */
  write(place: AssetPlace, content: Uint8Array): Promise<void>
  open(place: AssetPlace): Promise<StoredFile | null>
  /** Deletes from shelves that are over; how many. */
  deleteOver(nowMs: number, atMost: number): Promise<number>
}

export interface StoredFile {
  readonly bytes: number
  readonly content: ReadableStream<Uint8Array> | Blob
}
