import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Fingerprints API keys and seals upstream secrets, both under keys derived from the one server secret. */
export interface SecretKeeper {
  /** A stable, one-way name for a secret; what is stored and looked up instead of it. */
  fingerprint(secret: string): string
  seal(plain: string): string
  /** Throws when the text was sealed under another server secret or altered. */
  open(sealed: string): string
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSecretKeeper(serverSecret: string): SecretKeeper {
  const fingerprintKey = deriveKey(serverSecret, 'turnpike fingerprint v1')
  const sealingKey = deriveKey(serverSecret, 'turnpike sealing v1')
  // Keyed once and copied for each secret: this runs for every request, and keying is most of the work.
  const keyed = new Bun.CryptoHasher('sha256', fingerprintKey)
  return {
    fingerprint: (secret) => keyed.copy().update(secret).digest('base64url'),
    seal: (plain) => seal(sealingKey, plain),
    open: (sealed) => open(sealingKey, sealed),
  }
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
