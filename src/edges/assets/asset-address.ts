import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a store needs to know for putting an asset down and finding it again. */
export interface AssetPlace {
  /** `<random>.<ending>`. */
  readonly fileName: string
  readonly mediaType: string
  readonly expiresAtSeconds: number
}

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
])
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([...ENDINGS].map(([type, ending]) => [ending, type]))
// What is not a picture is handed out as bytes, so that no browser makes anything else of it.
const OTHER_ENDING = 'bin'
const OTHER_TYPE = 'application/octet-stream'

const NAME_BYTES = 24
const FILE_NAME = /^[\w-]{32}\.([a-z]{3,4})$/
const SECONDS = /^[1-9]\d{0,11}$/

/** A place nobody can guess. */
export function choosePlace(mediaType: string, expiresAtMs: number): AssetPlace {
  const ending = ENDINGS.get(mediaType) ?? OTHER_ENDING
  return {
    fileName: `${randomBytes(NAME_BYTES).toString('base64url')}.${ending}`,
    mediaType: MEDIA_TYPES.get(ending) ?? OTHER_TYPE,
    expiresAtSeconds: Math.ceil(expiresAtMs / 1_000),
  }
}

export function writeAddress({ fileName, expiresAtSeconds }: AssetPlace, key: Uint8Array): string {
  const expires = String(expiresAtSeconds)
  return `/assets/${fileName}?expires=${expires}&signature=${sign(fileName, expires, key)}`
}

/** The place an address names; null when the address is not exactly one that was written with this key. */
export function readAddress(fileName: string, query: URLSearchParams, key: Uint8Array): AssetPlace | null {
  const ending = FILE_NAME.exec(fileName)?.[1]
  const expires = query.get('expires') ?? ''
  const signature = query.get('signature') ?? ''
  if (ending === undefined || !SECONDS.test(expires) || query.size !== 2) return null
  if (!isSame(signature, sign(fileName, expires, key))) return null
  return { fileName, mediaType: MEDIA_TYPES.get(ending) ?? OTHER_TYPE, expiresAtSeconds: Number(expires) }
}

function sign(fileName: string, expires: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(`${fileName}\n${expires}`).digest('base64url')
}

function isSame(given: string, expected: string): boolean {
  const givenBytes = Buffer.from(given)
  const expectedBytes = Buffer.from(expected)
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes)
}
