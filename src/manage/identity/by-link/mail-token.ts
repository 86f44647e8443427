import type { IdentityParts } from '../parts.ts'

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

type Purpose = 'invite' | 'reset'
type TokenParts = Pick<IdentityParts, 'random' | 'secrets'>

/** A token for a link, and the hash of it that is stored. */
export function makeMailToken(
  parts: TokenParts,
  purpose: Purpose,
): { readonly token: string; readonly tokenHash: string } {
  const token = Buffer.from(parts.random.bytes(TOKEN_BYTES)).toString('base64url')
  return { token, tokenHash: hash(parts, purpose, token) }
}

/** The hash of a token that somebody sent; null when it cannot be one. */
export function readMailToken(parts: TokenParts, purpose: Purpose, token: string): string | null {
  return TOKEN.test(token) ? hash(parts, purpose, token) : null
}

// The purpose is part of the hashed text, so that hashes for different purposes never match.
function hash({ secrets }: TokenParts, purpose: Purpose, token: string): string {
  return secrets.fingerprint(`${purpose} ${token}`)
}
