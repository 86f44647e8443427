import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { ApiKey } from '../../vocabulary/api-key.ts'
import { TIERS } from '../../vocabulary/records/tier.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import { aKey, anAccount } from '../../vocabulary/testing/specimens.ts'
import { findCaller } from './api-keys.ts'

const NOW_MS = 1_000
const account = anAccount()

function snapshotWith(key: ApiKey, secretExpiresAtMs: number | null = null): Snapshot {
  return {
    version: 1,
    accounts: new Map([[account.id, account]]),
    keys: new Map([[key.id, key]]),
    markUps: null,
    aliases: null,
    wildcards: null,
    tiers: TIERS,
    secretsByFingerprint: new Map([['print', { key, expiresAtMs: secretExpiresAtMs }]]),
    supply: {
      suppliers: new Map(),
      credentialsBySupplier: new Map(),
      models: new Map(),
      routesByModel: new Map(),
    },
  }
}

const refusalOf = (snapshot: Snapshot, fingerprint = 'print') => {
  const found = findCaller(fingerprint, snapshot, NOW_MS)
  return found instanceof GatewayError ? found.code : found
}

describe('the holder of a fingerprint', () => {
  test('is its key and account', () => {
    const key = aKey()
    expect(findCaller('print', snapshotWith(key), NOW_MS)).toEqual({ key, account })
  })

  test('is not found for an unknown fingerprint, or a key without an account', () => {
    expect(refusalOf(snapshotWith(aKey()), 'other')).toBe('auth_invalid')
    expect(refusalOf(snapshotWith(aKey({ accountId: 'gone' })))).toBe('auth_invalid')
  })

  test.each(['disabled', 'revoked'] as const)('is refused when the key is %s', (state) => {
    expect(refusalOf(snapshotWith(aKey({ state })))).toBe('auth_invalid')
  })

  test('is refused once the key or its secret has expired', () => {
    expect(refusalOf(snapshotWith(aKey({ expiresAtMs: NOW_MS })))).toBe('auth_expired')
    expect(refusalOf(snapshotWith(aKey(), NOW_MS))).toBe('auth_expired')
    expect(refusalOf(snapshotWith(aKey({ expiresAtMs: NOW_MS + 1 }), NOW_MS + 1))).toMatchObject({ account })
  })
})
