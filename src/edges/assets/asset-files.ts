/** Identifies a stored asset. */
export interface AssetReference {
  /** `<random>.<ending>`. */
  readonly fileName: string
  readonly mediaType: string
  readonly expiresAtSeconds: number
}

/** Stores the bytes of assets. */
export interface AssetFiles {
  /** Writes atomically: a failed or unfinished write leaves no readable asset. */
  write(reference: AssetReference, content: Uint8Array): Promise<void>
  open(reference: AssetReference): Promise<StoredFile | null>
  /** Deletes up to `maxCount` files from folders that have expired. Returns how many it deleted. */
  deleteExpired(nowMs: number, maxCount: number): Promise<number>
}

export interface StoredFile {
  readonly bytes: number
  readonly content: ReadableStream<Uint8Array> | Blob
}

const HOUR_SECONDS = 60 * 60

/**
 * The folder of an asset, named after the hour in which it expires. The URL of an asset is enough to find it, so there
 * is no index; expired assets are found by listing a few names, which sort by time.
 */
export function folderOf(expiresAtSeconds: number): string {
  return String(Math.floor(expiresAtSeconds / HOUR_SECONDS)).padStart(8, '0')
}

/** Whether every asset in this folder has expired. */
export function hasExpired(folder: string, nowMs: number): boolean {
  return /^\d{8}$/.test(folder) && folder < folderOf(nowMs / 1_000)
}
