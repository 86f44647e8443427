import { createHmac, timingSafeEqual } from 'node:crypto'

export const SIGNATURE_HEADER = 'turnpike-signature'
/** Maximum difference between the signed time and our clock. */
export const TOLERANCE_SECONDS = 300

/** Only a caller that knows the secret ever gets `untimely`. */
export type SignatureVerdict = 'valid' | 'wrong' | 'untimely'

export interface SignedText {
  /** `t=<unix seconds>,v1=<hex>`, with several `v1` while a secret is being changed. */
  readonly header: string
  readonly text: string
}

export function checkSignature(signed: SignedText, secret: string, nowMs: number): SignatureVerdict {
  const { timestamp, candidates } = readHeader(signed.header)
  // Refused without hashing the body, which anyone may have sent.
  if (timestamp === null || candidates.length === 0) return 'wrong'
  const expected = createHmac('sha256', secret).update(`${timestamp}.${signed.text}`).digest()
  // All are compared, each in constant time, so that timing reveals nothing about the right one.
  const matches = candidates.filter((candidate) => timingSafeEqual(candidate, expected))
  if (matches.length === 0) return 'wrong'
  const ageSeconds = Math.abs(nowMs / 1_000 - Number(timestamp))
  return ageSeconds <= TOLERANCE_SECONDS ? 'valid' : 'untimely'
}

// No sender needs more, and each costs a comparison.
const MAX_CANDIDATES = 10
const MAX_ITEMS = 32

function readHeader(header: string): { timestamp: string | null; candidates: readonly Buffer[] } {
  const items = header.split(',', MAX_ITEMS).map((item) => item.trim())
  const times = items.filter((item) => item.startsWith('t=')).map((item) => item.slice(2))
  const [timestamp = ''] = times
  return {
    timestamp: times.length === 1 && /^\d{1,12}$/.test(timestamp) ? timestamp : null,
    candidates: items
      .map((item) => /^v1=([0-9a-f]{64})$/i.exec(item)?.[1])
      .filter((hex) => hex !== undefined)
      .slice(0, MAX_CANDIDATES)
      .map((hex) => Buffer.from(hex, 'hex')),
  }
}
