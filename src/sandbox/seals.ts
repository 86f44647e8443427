import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

const DIGEST_BYTES = 32

/** What a seal vouches for, apart from the content itself. */
interface SealClaim {
  readonly face: string
  readonly model: string
  /** What kind of thing is sealed, or which one. */
  readonly about: string
}

/**
 * Signs what a model thought, and knows its own signatures again. A real supplier refuses a signature that is not
 * its own, was made for another model or stands on other words; a gateway that mixes them up must fail here too.
 */
export interface Seals {
  seal(claim: SealClaim, content: string): string
  /** `content` is null where the caller was never shown what is sealed. */
  isGenuine(seal: string, claim: SealClaim, content: string | null): boolean
}

/** A seal is the digest of the content, then a signature over claim and digest. */
export function createSeals(secret: string): Seals {
  const sign = (claim: SealClaim, digest: Buffer) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([claim.face, claim.model, claim.about]))
      .update(digest)
      .digest()
  return {
    seal(claim, content) {
      const digest = digestOf(content)
      return Buffer.concat([digest, sign(claim, digest)]).toString('base64')
    },
    isGenuine(seal, claim, content) {
      const bytes = Buffer.from(seal, 'base64')
      if (bytes.length !== 2 * DIGEST_BYTES || bytes.toString('base64') !== seal) return false
      const digest = bytes.subarray(0, DIGEST_BYTES)
      if (!timingSafeEqual(sign(claim, digest), bytes.subarray(DIGEST_BYTES))) return false
      return content === null || digestOf(content).equals(digest)
    },
  }
}

function digestOf(content: string): Buffer {
  return createHash('sha256').update(content).digest()
}
