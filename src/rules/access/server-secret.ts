import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { createFingerprint } from './api-keys.ts'

/** The row and column of a sealed text. A text sealed for one place cannot be opened in another. */
export interface SealedPlace {
  /** Together with the column it is what a key is derived for. */
  readonly table: string
  readonly column: string
  /** The key of the row, its parts in one order. */
  readonly id: string | readonly string[]
}

/** Encrypts texts with the server secret. */
export interface Sealer {
  seal(plain: string, place: SealedPlace): string
  /** Throws a SealError when the text was sealed under another server secret or for another place, or altered. */
  open(sealed: string, place: SealedPlace): string
}

/** Says where the text was found. Never contains the text. */
export class SealError extends Error {
  constructor({ table, column, id }: SealedPlace, reason: string, options?: ErrorOptions) {
    super(`${table}.${column} of row ${[id].flat().join(' ')} cannot be opened: ${reason}`, options)
  }
}

/** Seals upstream secrets and fingerprints API keys. */
export interface SecretKeeper extends Sealer {
  /** A stable one-way hash of a secret, stored and looked up instead of it. */
  fingerprint(secret: string): string
}

/**
 * What holds in a database that still has texts of before they were bound to their places, or nodes that know no
 * others. Such a text opens wherever it is put, so it is taken only where it may be an old one.
 */
export interface UnboundRules {
  readsUnbound(place: SealedPlace): boolean
  writesUnbound(place: SealedPlace): boolean
}

const BOUND_ONLY: UnboundRules = { readsUnbound: () => false, writesUnbound: () => false }
/** The prefix of values that are bound to their row. */
export const BOUND_PREFIX = 'v2.'
const UNBOUND = 'v1.'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSealer(serverSecret: string, rules: UnboundRules = BOUND_ONLY): Sealer {
  const unbound = createUnboundSealer(serverSecret)
  const keyFor = keyring(serverSecret)
  return {
    seal: (plain, place) =>
      rules.writesUnbound(place)
        ? unbound.seal(plain)
        : BOUND_PREFIX + encrypt(keyFor(place), plain, describePlace(place)),
    open: (sealed, place) => {
      if (sealed.startsWith(BOUND_PREFIX)) {
        return openAt(place, () =>
          decrypt(keyFor(place), sealed.slice(BOUND_PREFIX.length), describePlace(place)),
        )
      }
      if (!sealed.startsWith(UNBOUND)) throw new SealError(place, 'it is not a sealed value.')
      if (rules.readsUnbound(place)) return openAt(place, () => unbound.open(sealed))
      throw new SealError(place, 'it has the old form that is bound to no row, and none is left here.')
    },
  }
}

/** The old form, from before texts were bound to a place. */
export function createUnboundSealer(serverSecret: string) {
  const key = deriveKey(serverSecret, 'turnpike sealing v1')
  return {
    seal: (plain: string) => UNBOUND + encrypt(key, plain, null),
    open: (sealed: string) => decrypt(key, sealed.slice(UNBOUND.length), null),
  }
}

function openAt(place: SealedPlace, open: () => string): string {
  try {
    return open()
  } catch (cause) {
    const reason = 'it was sealed under another TURNPIKE_SECRET or for another row, or altered since.'
    throw new SealError(place, reason, { cause })
  }
}

/** Each column has its own key, so that a leaked key opens only one column. */
function keyring(serverSecret: string): (place: SealedPlace) => Buffer {
  const keys = new Map<string, Buffer>()
  return ({ table, column }) => {
    const name = `${table}.${column}`
    const known = keys.get(name)
    if (known !== undefined) return known
    const key = deriveKey(serverSecret, `turnpike sealing v2 ${name}`)
    keys.set(name, key)
    return key
  }
}

// JSON keeps places distinct, whatever characters their ids contain.
function describePlace({ table, column, id }: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify([table, column, ...[id].flat()]))
}

/** The fingerprint key of a new database, as text. It never changes, even when the server secret does. */
export function firstFingerprintKey(serverSecret: string): string {
  return deriveKey(serverSecret, 'turnpike fingerprint v1').toString('base64url')
}

/**
 * Fingerprints cannot be recomputed without the API keys, so their key must survive a change of the server secret.
 * Sealed texts are sealed again instead.
 */
export function createSecretKeeper(
  serverSecret: string,
  fingerprintKey = firstFingerprintKey(serverSecret),
): SecretKeeper {
  return { fingerprint: createFingerprint(fingerprintKey), ...createSealer(serverSecret) }
}

/** Signs asset URLs. */
export function deriveAssetKey(serverSecret: string): Uint8Array {
  return deriveKey(serverSecret, 'turnpike assets v1')
}

function deriveKey(serverSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', serverSecret, '', purpose, 32))
}

function encrypt(key: Buffer, plain: string, place: Buffer | null): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  if (place !== null) cipher.setAAD(place)
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
}

function decrypt(key: Buffer, text: string, place: Buffer | null): string {
  const bytes = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
  if (place !== null) decipher.setAAD(place)
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  // A shorter tag would be taken, and is easier to guess.
  if (tag.length !== TAG_BYTES) throw new Error('too short')
  decipher.setAuthTag(tag)
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
    'utf8',
  )
}
