import { describe, expect, test } from 'bun:test'
import type { Account } from '../../vocabulary/account.ts'
import type { ApiKey, KeySecret } from '../../vocabulary/api-key.ts'
import { type Credential, type Route, type Supplier, USUAL_TIMEOUTS } from '../../vocabulary/supply.ts'
import { buildSnapshot, type ConfigurationRows, withAccount, withKey, withSupply } from './build-snapshot.ts'

const account: Account = {
  id: 'acc_1',
  name: 'one',
  email: null,
  earnedTier: 'Starter',
  tierAssignment: null,
  totalPaidNano: 0n,
  creditLineNano: 0n,
  balanceAlertNano: null,
  state: 'active',
  stateReason: null,
  createdAtMs: 1,
}

function secret(fingerprint: string, expiresAtMs: number | null = null): KeySecret {
  return { fingerprint, lastFour: 'abcd', expiresAtMs }
}

function key(secrets: readonly KeySecret[]): ApiKey {
  return {
    id: 'key_1',
    accountId: 'acc_1',
    name: 'k',
    state: 'active',
    routePolicy: { mode: 'intelligent' },
    usageLimit: null,
    rpm: null,
    tpm: null,
    modelAllowlist: null,
    budget: null,
    expiresAtMs: null,
    sharedFallback: false,
    createdAtMs: 1,
    secrets,
  }
}

function route(supplierId: string, priority: number): Route {
  return {
    modelId: 'm',
    supplierId,
    upstreamModel: 'm',
    formats: null,
    price: null,
    cost: null,
    priceSource: 'manual',
    rpm: null,
    tpm: null,
    priority,
    enabled: true,
  }
}

function supplier(id: string): Supplier {
  return {
    id,
    type: 'openai',
    baseUrl: 'http://x',
    formats: ['responses'],
    source: 'shared',
    accountId: null,
    enabled: true,
    options: {},
    aborts: null,
    timeouts: USUAL_TIMEOUTS,
  }
}

function credential(id: string, supplierId: string): Credential {
  return { id, supplierId, secret: 's', label: null, rpm: null, tpm: null, weight: 1, state: 'active' }
}

const rows: ConfigurationRows = {
  version: 7,
  accounts: [account],
  keys: [key([secret('new'), secret('old', 50)])],
  suppliers: [supplier('a'), supplier('b')],
  credentials: [credential('c2', 'a'), credential('c3', 'b'), credential('c1', 'a')],
  models: [],
  routes: [route('z', 1), route('b', 2), route('a', 2), route('c', 0)],
}

describe('buildSnapshot', () => {
  test('finds everything by id and every secret by fingerprint', () => {
    const snapshot = buildSnapshot(rows)
    expect(snapshot.accounts.get('acc_1')).toEqual(account)
    expect(snapshot.keys.get('key_1')?.name).toBe('k')
    expect(snapshot.secretsByFingerprint.get('new')?.expiresAtMs).toBeNull()
    expect(snapshot.secretsByFingerprint.get('old')?.expiresAtMs).toBe(50)
    expect(snapshot.supply.credentialsBySupplier.get('a')?.map((each) => each.id)).toEqual(['c1', 'c2'])
  })

  test('sorts routes by priority, then supplier id', () => {
    const routes = buildSnapshot(rows).supply.routesByModel.get('m')
    expect(routes?.map((each) => each.supplierId)).toEqual(['c', 'z', 'a', 'b'])
  })
})

describe('a changed snapshot', () => {
  test('has the account, the old one does not', () => {
    const before = buildSnapshot({ ...rows, accounts: [] })
    expect(withAccount(before, account).accounts.has('acc_1')).toBe(true)
    expect(before.accounts.has('acc_1')).toBe(false)
  })

  test('forgets secrets the key no longer has', () => {
    const before = buildSnapshot(rows)
    const after = withKey(before, key([secret('newest'), secret('new', 70)]))
    expect([...after.secretsByFingerprint.keys()].toSorted()).toEqual(['new', 'newest'])
    expect(after.secretsByFingerprint.get('new')?.expiresAtMs).toBe(70)
    expect([...before.secretsByFingerprint.keys()].toSorted()).toEqual(['new', 'old'])
  })

  test('every secret of a changed key leads to the changed key', () => {
    const changed = { ...key([secret('new'), secret('old', 50)]), name: 'renamed' }
    const after = withKey(buildSnapshot(rows), changed)
    expect(after.secretsByFingerprint.get('old')?.key.name).toBe('renamed')
  })

  test('replaces only the kinds of supply rows given', () => {
    const before = buildSnapshot(rows)
    const after = withSupply(before, { credentials: [credential('c9', 'b')] })
    expect(after.supply.credentialsBySupplier.has('a')).toBe(false)
    expect(after.supply.suppliers.size).toBe(2)
    expect(after.supply.routesByModel.get('m')).toHaveLength(4)
    expect(before.supply.credentialsBySupplier.get('a')).toHaveLength(2)
  })
})
