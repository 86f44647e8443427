import { GatewayError } from '../../errors/gateway-error.ts'
import type { Account } from '../../vocabulary/account.ts'
import type { ApiKey } from '../../vocabulary/api-key.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'

const NEVER = Number.POSITIVE_INFINITY

export interface KeyHolder {
  readonly key: ApiKey
  readonly account: Account
}

/** Finds the caller of an API key, or the error that says why the key is not accepted. */
export function findCaller(fingerprint: string, snapshot: Snapshot, nowMs: number): KeyHolder | GatewayError {
  const secret = snapshot.secretsByFingerprint.get(fingerprint)
  const account = secret && snapshot.accounts.get(secret.key.accountId)
  if (secret === undefined || account === undefined) {
    return new GatewayError('auth_invalid', 'The API key is not valid.')
  }
  const { key } = secret
  if (key.state !== 'active') return new GatewayError('auth_invalid', `This API key is ${key.state}.`)
  const expiresAtMs = Math.min(key.expiresAtMs ?? NEVER, secret.expiresAtMs ?? NEVER)
  if (expiresAtMs <= nowMs) return new GatewayError('auth_expired', 'This API key has expired.')
  // The usual case is one comparison: this runs with every request.
  return account.state === 'active' ? { key, account } : refuseAccount(account)
}

function refuseAccount({ state }: Account): GatewayError {
  return new GatewayError('permission_denied', `The account of this API key is ${state}.`)
}

/** Whose key this is, whatever its state; undefined for an unknown key. */
export function findHolder(fingerprint: string, snapshot: Snapshot): KeyHolder | undefined {
  const key = snapshot.secretsByFingerprint.get(fingerprint)?.key
  const account = key && snapshot.accounts.get(key.accountId)
  return account && { key, account }
}

/** Clients of the content-generation format may send the key as `?key=`. On `/v1`, only its methods are called with POST. */
export function takesKeyInQuery({
  method,
  path,
}: {
  readonly method: string
  readonly path: string
}): boolean {
  return path.startsWith('/v1beta/') || (method === 'POST' && path.startsWith('/v1/models/'))
}

const MAX_RECENT = 1_024
// Longer than any of our keys. Bounds the memory that invalid keys take.
const MAX_RECENT_LENGTH = 128

/**
 * A stable one-way hash of a secret. Clients send the same key with every request, so recent fingerprints are kept: a
 * lookup takes a sixth of the time of hashing.
 */
export function createFingerprint(fingerprintKey: string): (secret: string) => string {
  // Keyed once and copied for each secret, because keying is most of the work.
  const keyed = new Bun.CryptoHasher('sha256', Buffer.from(fingerprintKey, 'base64url'))
  const recent = new Map<string, string>()
  return (secret) => {
    const known = recent.get(secret)
    if (known !== undefined) return known
    const fingerprint = keyed.copy().update(secret).digest('base64url')
    if (secret.length > MAX_RECENT_LENGTH) return fingerprint
    if (recent.size >= MAX_RECENT) recent.clear()
    recent.set(secret, fingerprint)
    return fingerprint
  }
}
