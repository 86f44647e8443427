import { createHmac, timingSafeEqual } from 'node:crypto'

/** Time-based one-time passwords as RFC 6238 has them and every authenticator app shows them: SHA-1, six digits. */
const STEP_MS = 30_000
const DIGITS = 6
/** How many steps a phone's clock may be off in either direction. */
const DRIFT_STEPS = 1
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function stepAt(atMs: number): number {
  return Math.floor(atMs / STEP_MS)
}

export function totpCode(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0x0f
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * The time step of this code; null when it is not valid now. The caller must remember the step and refuse codes up to
 * it, so that an observed code cannot be used again.
 */
export function findStep(code: string, secret: Uint8Array, nowMs: number): number | null {
  const current = stepAt(nowMs)
  for (let step = current - DRIFT_STEPS; step <= current + DRIFT_STEPS; step += 1) {
    if (step >= 0 && isSame(code, totpCode(secret, step))) return step
  }
  return null
}

function isSame(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}

export function encodeBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET.charAt((value >> bits) & 31)
    }
  }
  return bits > 0 ? text + ALPHABET.charAt((value << (5 - bits)) & 31) : text
}

export function decodeBase32(text: string): Uint8Array {
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (const character of text.toUpperCase()) {
    const digit = ALPHABET.indexOf(character)
    if (digit < 0) throw new Error('not base32')
    value = ((value << 5) | digit) & 0xffff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((value >> bits) & 255)
    }
  }
  return Uint8Array.from(bytes)
}

/** The URI that an authenticator app reads from the QR code. */
export function totpUri(secretText: string, email: string): string {
  const issuer = 'Turnpike'
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  return `otpauth://totp/${label}?secret=${secretText}&issuer=${issuer}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1_000}`
}
