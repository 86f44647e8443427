import { S3Client } from 'bun'
import type { AssetPlace } from './asset-address.ts'
import type { AssetFiles, StoredFile } from './asset-files.ts'
import { isOver, shelfOf } from './shelf.ts'

/** A bucket of an S3-compatible store, and the keys for it. */
export interface AssetBucket {
  readonly bucket: string
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string
  /** null: Amazon's own, by region. */
  readonly endpoint: string | null
  readonly region: string | null
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
}

/** Assets in a bucket, which several nodes can share. */
export class S3Files implements AssetFiles {
  readonly #client: S3Client
  readonly #folder: string

  constructor({ bucket, prefix, endpoint, region, sessionToken, ...keys }: AssetBucket) {
    this.#folder = prefix === '' ? 'assets/' : `${prefix}/assets/`
    this.#client = new S3Client({
      bucket,
      ...keys,
      ...(endpoint !== null && { endpoint }),
      ...(region !== null && { region }),
      ...(sessionToken !== null && { sessionToken }),
    })
  }

  async write(place: AssetPlace, content: Uint8Array): Promise<void> {
    await this.#client.write(this.#keyOf(place), content as Uint8Array<ArrayBuffer>, {
      type: place.mediaType,
    })
  }

  async open(place: AssetPlace): Promise<StoredFile | null> {
    const file = this.#client.file(this.#keyOf(place))
    try {
      const { size } = await file.stat()
      // As a stream: a file of the client's own kind would send the reader to the bucket.
      return { bytes: size, content: file.stream() }
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  async deleteOver(nowMs: number, atMost: number): Promise<number> {
    // Keys come in their order, so those that have been over for longest come first.
    const listed = await this.#client.list({ prefix: this.#folder, maxKeys: atMost })
    const keys = (listed.contents ?? []).map(({ key }) => key)
    const over = keys.filter((key) => isOver(this.#shelfIn(key), nowMs))
    for (const key of over) await this.#client.delete(key)
    return over.length
  }

  #keyOf({ fileName, expiresAtSeconds }: AssetPlace): string {
    return `${this.#folder}${shelfOf(expiresAtSeconds)}/${fileName}`
  }

  #shelfIn(key: string): string {
    return key.slice(this.#folder.length).split('/')[0] ?? ''
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'NoSuchKey'
}
