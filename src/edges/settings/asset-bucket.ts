import { SettingError } from './setting-error.ts'

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

/** How the environment is read: a value that cannot be used stops the start. */
export interface BucketReader {
  text(name: string): string | null
  token(name: string, rule: { readonly least: number }): string | null
  address(name: string): string | null
}

const STORE = 'TURNPIKE_ASSET_STORE'
const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?$/

/** Where assets go; null: a folder in the data folder. Keys have the names Amazon's own tools read. */
export function readAssetBucket(read: BucketReader): AssetBucket | null {
  const store = read.text(STORE)
  const endpoint = read.address('TURNPIKE_S3_ENDPOINT')
  if (store === null || store === 'folder') return null
  const address = ADDRESS.exec(store)
  if (address === null)
    throw new SettingError(`${STORE} is ${JSON.stringify(store)}; it takes folder or s3://bucket/prefix.`)
  return {
    bucket: address[1] ?? '',
    prefix: (address[2] ?? '').replaceAll(/^\/+|\/+$/g, ''),
    endpoint,
    region: read.text('AWS_REGION'),
    accessKeyId: needed(read, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: needed(read, 'AWS_SECRET_ACCESS_KEY'),
    sessionToken: read.token('AWS_SESSION_TOKEN', { least: 1 }),
  }
}

function needed(read: BucketReader, name: string): string {
  const value = read.token(name, { least: 1 })
  if (value === null)
    throw new SettingError(`${name} is not set; it takes a key and is required with ${STORE}=s3://….`)
  return value
}
