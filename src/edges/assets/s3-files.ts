import { S3Client } from 'bun'
import { type AssetFiles, type AssetReference, folderOf, hasExpired, type StoredFile } from './asset-files.ts'

/** A bucket of an S3-compatible store, and the keys for it. */
export interface AssetBucket {
  readonly bucket: string
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string
  /** null: Amazon S3 in this region. */
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

  async write(reference: AssetReference, content: Uint8Array): Promise<void> {
    await this.#client.write(this.#keyOf(reference), content as Uint8Array<ArrayBuffer>, {
      type: reference.mediaType,
    })
  }

  async open(reference: AssetReference): Promise<StoredFile | null> {
    const file = this.#client.file(this.#keyOf(reference))
    try {
      const { size } = await file.stat()
      // As a stream: if the answer were Bun's S3 file, the client would be redirected to the bucket.
      return { bytes: size, content: file.stream() }
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  async deleteExpired(nowMs: number, maxCount: number): Promise<number> {
    // Keys are listed in order, so those that expired first come first.
    const listed = await this.#client.list({ prefix: this.#folder, maxKeys: maxCount })
    const keys = (listed.contents ?? []).map(({ key }) => key)
    const expired = keys.filter((key) => hasExpired(this.#folderIn(key), nowMs))
    for (const key of expired) await this.#client.delete(key)
    return expired.length
  }

  #keyOf({ fileName, expiresAtSeconds }: AssetReference): string {
    return `${this.#folder}${folderOf(expiresAtSeconds)}/${fileName}`
  }

  #folderIn(key: string): string {
    return key.slice(this.#folder.length).split('/')[0] ?? ''
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'NoSuchKey'
}
