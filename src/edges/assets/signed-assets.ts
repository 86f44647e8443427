import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Asset, AssetStore } from '../../serve/ports/assets.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { AssetFiles, AssetReference } from './asset-files.ts'

export interface SignedAssetsOptions {
  readonly files: AssetFiles
  readonly key: Uint8Array
  readonly lifetimeMs: number
  readonly clock: Clock
}

/** Assets with signed URLs: the store is never asked for a file that the gateway did not hand out. */
export class SignedAssets implements AssetStore {
  readonly #options: SignedAssetsOptions

  constructor(options: SignedAssetsOptions) {
    this.#options = options
  }

  async save(content: Uint8Array, mediaType: string) {
    const { files, key, lifetimeMs, clock } = this.#options
    const reference = createReference(mediaType, clock.nowMs() + lifetimeMs)
    await files.write(reference, content)
    return { path: signUrl(reference, key), expiresAtMs: reference.expiresAtSeconds * 1_000 }
  }

  async find(name: string, query: URLSearchParams): Promise<Asset | null> {
    const { files, key, clock } = this.#options
    const reference = verifyUrl(name, query, key)
    if (reference === null) return null
    const expiresAtMs = reference.expiresAtSeconds * 1_000
    if (clock.nowMs() >= expiresAtMs) return null
    const stored = await files.open(reference)
    return stored && { ...stored, mediaType: reference.mediaType, expiresAtMs }
  }

  deleteExpired(nowMs: number, maxCount: number): Promise<number> {
    return this.#options.files.deleteExpired(nowMs, maxCount)
  }
}

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
])
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([...ENDINGS].map(([type, ending]) => [ending, type]))
// Anything but an image is served as plain bytes, so that no browser interprets it.
const OTHER_ENDING = 'bin'
const OTHER_TYPE = 'application/octet-stream'

const NAME_BYTES = 24
const FILE_NAME = /^[\w-]{32}\.([a-z]{3,4})$/
const SECONDS = /^[1-9]\d{0,11}$/

/** Chooses a random file name that cannot be guessed. */
function createReference(mediaType: string, expiresAtMs: number): AssetReference {
  const ending = ENDINGS.get(mediaType) ?? OTHER_ENDING
  return {
    fileName: `${randomBytes(NAME_BYTES).toString('base64url')}.${ending}`,
    mediaType: MEDIA_TYPES.get(ending) ?? OTHER_TYPE,
    expiresAtSeconds: Math.ceil(expiresAtMs / 1_000),
  }
}

function signUrl({ fileName, expiresAtSeconds }: AssetReference, key: Uint8Array): string {
  const expires = String(expiresAtSeconds)
  return `/assets/${fileName}?expires=${expires}&signature=${sign(fileName, expires, key)}`
}

/** Verifies a URL; null unless this key signed exactly this URL. */
function verifyUrl(fileName: string, query: URLSearchParams, key: Uint8Array): AssetReference | null {
  const ending = FILE_NAME.exec(fileName)?.[1]
  const expires = query.get('expires') ?? ''
  const signature = query.get('signature') ?? ''
  if (ending === undefined || !SECONDS.test(expires) || query.size !== 2) return null
  if (!isEqual(signature, sign(fileName, expires, key))) return null
  return { fileName, mediaType: MEDIA_TYPES.get(ending) ?? OTHER_TYPE, expiresAtSeconds: Number(expires) }
}

function sign(fileName: string, expires: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(`${fileName}\n${expires}`).digest('base64url')
}

function isEqual(given: string, expected: string): boolean {
  const givenBytes = Buffer.from(given)
  const expectedBytes = Buffer.from(expected)
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes)
}
