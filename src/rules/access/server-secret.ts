import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Keeps texts unreadable to everybody without the server secret. */
export interface Sealer {
  seal(plain: string): string
  /** Throws when the text was sealed under another server secret or altered. */
  open(sealed: string): string
}

/** Seals upstream secrets and fingerprints API keys. */
export interface SecretKeeper extends Sealer {
  /** A stable, one-way name for a secret; what is stored and looked up instead of it. */
  fingerprint(secret: string): string
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSealer(serverSecret: string): Sealer {
  const sealingKey = deriveKey(serverSecret, 'turnpike sealing v1')
  return { seal: (plain) => seal(sealingKey, plain), open: (sealed) => open(sealingKey, sealed) }
}

/** The fingerprint key a database starts with, as text. It is kept from then on, whatever the server secret becomes. */
export function firstFingerprintKey(serverSecret: string): string {
  return deriveKey(serverSecret, 'turnpike fingerprint v1').toString('base64url')
}

/**
 * Fingerprints cannot be made anew without the API keys they stand for, so their key must survive a change of the
 * server secret; everything that is sealed is sealed anew instead.
 */
export function createSecretKeeper(
  serverSecret: string,
  fingerprintKey = firstFingerprintKey(serverSecret),
): SecretKeeper {
  // Keyed once and copied for each secret: this runs for every request, and keying is most of the work.
  const keyed = new Bun.CryptoHasher('sha256', Buffer.from(fingerprintKey, 'base64url'))
  return {
    fingerprint: (secret) => keyed.copy().update(secret).digest('base64url'),
    ...createSealer(serverSecret),
  }
}

/** What the addresses of assets are signed with. */
export function deriveAssetKey(serverSecret: string): Uint8Array {
  return deriveKey(serverSecret, 'turnpike assets v1')
}

function deriveKey(serverSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', serverSecret, '', purpose, 32))
}

function seal(key: Buffer, plain: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
}

function open(key: Buffer, sealed: string): string {
  if (!sealed.startsWith('v1.')) throw new Error('unknown sealing version')
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
    'utf8',
  )
}
