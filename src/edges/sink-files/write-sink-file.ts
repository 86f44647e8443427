import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { S3Client } from 'bun'
import type { SinkFile, WriteSinkFile } from '../../manage/ports/sinks.ts'

/** The keys for buckets of an S3-compatible store. */
export interface BucketAccess {
  /** null: Amazon S3 in this region. */
  readonly endpoint: string | null
  readonly region: string | null
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
}

export interface SinkFileParts {
  /** The folder that `folder://name` is below. */
  readonly folder: string
  /** null when the environment has no keys. */
  readonly access: BucketAccess | null
}

const BUCKET = /^s3:\/\/([^/]+)\/?(.*)$/
const FOLDER = /^folder:\/\/([a-z0-9][a-z0-9-]*)$/

/** Writes batches of sinks as files. Reasons never quote a library, whose messages may hold addresses and keys. */
export function createSinkFileWriter({ folder, access }: SinkFileParts): WriteSinkFile {
  return async (file) => {
    const bucket = BUCKET.exec(file.target)
    try {
      if (bucket === null) return await writeToFolder(folder, file)
      if (access === null) return 'The keys for buckets are not set.'
      await writeToBucket(access, file, { name: bucket[1] ?? '', prefix: bucket[2] ?? '' })
      return null
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code).slice(0, 60)})` : ''
      return `The file could not be written${code}.`
    }
  }
}

/** Readers never see half a file. */
async function writeToFolder(folder: string, { target, path, text }: SinkFile): Promise<string | null> {
  const name = FOLDER.exec(target)?.[1]
  if (name === undefined) return 'The target is not a folder.'
  const place = join(folder, name, path)
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  const draft = `${place}.part`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, place)
  return null
}

async function writeToBucket(
  { endpoint, region, sessionToken, ...keys }: BucketAccess,
  { path, text }: SinkFile,
  { name, prefix }: { readonly name: string; readonly prefix: string },
): Promise<void> {
  const client = new S3Client({
    bucket: name,
    ...keys,
    ...(endpoint !== null && { endpoint }),
    ...(region !== null && { region }),
    ...(sessionToken !== null && { sessionToken }),
  })
  const folder = prefix.replaceAll(/^\/+|\/+$/g, '')
  await client.write(folder === '' ? path : `${folder}/${path}`, text, { type: 'application/x-ndjson' })
}
