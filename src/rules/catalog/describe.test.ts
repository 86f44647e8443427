import { expect, test } from 'bun:test'
import { type ApiKey, KeySummary, lastFourOf, summarizeKey } from '../../vocabulary/api-key.ts'
import { formatTime } from '../../vocabulary/clock.ts'
import { CredentialView, viewCredential } from '../../vocabulary/supply.ts'

const describeKey = (key: ApiKey, nowMs: number) => KeySummary.show(summarizeKey(key, nowMs))

const KEY: ApiKey = {
  id: 'key_1',
  accountId: 'acc_1',
  name: 'ci',
  state: 'active',
  routePolicy: { mode: 'specified_provider', provider: 'acme' },
  usageLimit: { period: 'daily', amountNano: 5_000_000_000n },
  rpm: 60,
  tpm: null,
  modelAllowlist: ['gpt-5', 'claude-*'],
  budget: { amountNano: 1_500_000_000n, thresholds: [50] },
  expiresAtMs: 2_000,
  sharedFallback: false,
  createdAtMs: 1_000,
  secrets: [{ fingerprint: 'very-private', lastFour: 'wxyz', expiresAtMs: null }],
}

test('a key is described whole, without fingerprints', () => {
  expect(describeKey(KEY, 1_999)).toEqual({
    id: 'key_1',
    account_id: 'acc_1',
    name: 'ci',
    state: 'active',
    last_four: 'wxyz',
    route_policy: { mode: 'specified_provider', provider: 'acme' },
    usage_limit: { period: 'daily', amount: '5' },
    rpm: 60,
    tpm: null,
    model_allowlist: ['gpt-5', 'claude-*'],
    budget: { amount: '1.5', thresholds: [50] },
    expires_at: '1970-01-01T00:00:02Z',
    shared_fallback: false,
    created_at: '1970-01-01T00:00:01Z',
  })
})

test('a key is expired from its expiry on, unless it is revoked', () => {
  expect(describeKey(KEY, 2_000).state).toBe('expired')
  expect(describeKey({ ...KEY, state: 'disabled' }, 1_999).state).toBe('disabled')
  expect(describeKey({ ...KEY, state: 'revoked' }, 2_000).state).toBe('revoked')
})

test('a credential shows its last four only when its secret is longer than 12 characters', () => {
  const rest = {
    id: 'c',
    supplierId: 'a',
    label: null,
    rpm: null,
    tpm: null,
    weight: 1,
    state: 'active',
  } as const
  const shown = CredentialView.show(viewCredential({ ...rest, secret: 'abcdefghi1234' }))
  expect(shown.last_four).toBe('1234')
  expect(JSON.stringify(shown)).not.toContain('abcdefghi')
  expect(lastFourOf('abcdefgh1234')).toBeNull()
})

test('times keep a fraction only when they have one', () => {
  expect(formatTime(1_500)).toBe('1970-01-01T00:00:01.500Z')
})
