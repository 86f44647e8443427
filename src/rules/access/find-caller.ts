import { GatewayError } from '../../errors/gateway-error.ts'
import type { Account } from '../../vocabulary/account.ts'
import type { ApiKey } from '../../vocabulary/api-key.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'

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
  if (isPast(key.expiresAtMs, nowMs) || isPast(secret.expiresAtMs, nowMs)) {
    return new GatewayError('auth_expired', 'This API key has expired.')
  }
  return { key, account }
}

function isPast(momentMs: number | null, nowMs: number): boolean {
  return momentMs !== null && momentMs <= nowMs
}
