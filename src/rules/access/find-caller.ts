import { GatewayError } from '../../errors/gateway-error.ts'
import type { Account } from '../../vocabulary/account.ts'
import type { ApiKey } from '../../vocabulary/api-key.ts'
import type { Snapshot } from '../../vocabulary/snapshot.ts'

export interface KeyHolder {
  readonly key: ApiKey
  readonly account: Account
}

/** Whose secret this is, or null when nobody's. Refuses a key that exists but may not be used. */
export function findCaller(fingerprint: string, snapshot: Snapshot, nowMs: number): KeyHolder | null {
  const secret = snapshot.secretsByFingerprint.get(fingerprint)
  if (secret === undefined) return null
  const { key } = secret
  if (key.state !== 'active') throw new GatewayError('auth_invalid', `This API key is ${key.state}.`)
  if (isPast(key.expiresAtMs, nowMs) || isPast(secret.expiresAtMs, nowMs)) {
    throw new GatewayError('auth_expired', 'This API key has expired.')
  }
  const account = snapshot.accounts.get(key.accountId)
  return account === undefined ? null : { key, account }
}

function isPast(momentMs: number | null, nowMs: number): boolean {
  return momentMs !== null && momentMs <= nowMs
}
