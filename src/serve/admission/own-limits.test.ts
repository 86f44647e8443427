import { beforeEach, describe, expect, test } from 'bun:test'
import type { RateLimits } from '../../vocabulary/account.ts'
import { TIERS } from '../../vocabulary/records/tier.ts'
import { aKey, anAccount } from '../../vocabulary/testing/specimens.ts'
import type { Admissions, Decision, WindowDemand, WindowReading } from '../ports/admissions.ts'
import { guardLookUp, limitHeaders, ownWindows, rateLimitError } from './own-limits.ts'
import type { Caller } from './prepared-request.ts'

function callerWith(limits: RateLimits, key: Partial<RateLimits> = {}): Caller {
  return {
    account: anAccount(),
    key: aKey(key),
    limits,
    snapshot: {
      version: 1,
      accounts: new Map(),
      keys: new Map(),
      markUps: null,
      aliases: null,
      wildcards: null,
      tiers: TIERS,
      secretsByFingerprint: new Map(),
      supply: {
        suppliers: new Map(),
        credentialsBySupplier: new Map(),
        models: new Map(),
        routesByModel: new Map(),
      },
    },
  }
}

const idsAndLimits = (windows: readonly WindowDemand[]) => windows.map(({ id, limit }) => [id, limit])

describe('the windows a request spends from', () => {
  const account = { rpm: 120, tpm: 2_000 }

  test('are those of the account', () => {
    expect(ownWindows(callerWith(account), { requests: 1, tokens: 9 })).toEqual([
      { id: 'account:acc_1:requests', metric: 'requests', limit: 120, amount: 1 },
      { id: 'account:acc_1:tokens', metric: 'tokens', limit: 2_000, amount: 9 },
    ])
  })

  test('and those of the key when it has its own limits', () => {
    const windows = ownWindows(callerWith(account, { rpm: 3 }), { requests: 1, tokens: 9 })
    expect(idsAndLimits(windows)).toEqual([
      ['key:key_1:requests', 3],
      ['account:acc_1:requests', 120],
      ['account:acc_1:tokens', 2_000],
    ])
  })

  test('include no token window without an estimate, and none at all without limits', () => {
    const caller = callerWith(account, { tpm: 10 })
    expect(idsAndLimits(ownWindows(caller, { requests: 1, tokens: null }))).toEqual([
      ['account:acc_1:requests', 120],
    ])
    expect(ownWindows(callerWith({ rpm: null, tpm: null }), { requests: 1, tokens: 5 })).toEqual([])
  })
})

describe('spec 8.4: the headers', () => {
  const reading = (fields: Partial<WindowReading>): WindowReading => ({
    metric: 'requests',
    limit: 10,
    remaining: 5,
    resetSeconds: 30,
    ...fields,
  })
  const headersOf = (readings: readonly WindowReading[]) =>
    limitHeaders({ read: () => readings } as unknown as Admissions, [])

  test('show the tightest limit, and the smallest remainder', () => {
    const key = reading({ limit: 10, remaining: 5, resetSeconds: 30 })
    const account = reading({ limit: 120, remaining: 2, resetSeconds: 7 })
    expect(headersOf([key, account])).toEqual({
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '2',
      'x-ratelimit-reset-requests': '7',
    })
  })

  test('are left out for a metric without a limit', () => {
    expect(headersOf([])).toEqual({})
    expect(Object.keys(headersOf([reading({ metric: 'tokens' })]))).toEqual([
      'x-ratelimit-limit-tokens',
      'x-ratelimit-remaining-tokens',
      'x-ratelimit-reset-tokens',
    ])
  })
})

describe('the guard of look-ups', () => {
  let taken: WindowDemand[]
  beforeEach(() => {
    taken = []
  })
  const answering = (decide: (window: WindowDemand) => Decision): Admissions =>
    ({
      takeCapacity: ([window]: readonly WindowDemand[]) => {
        if (window === undefined) return null
        taken.push(window)
        return decide(window)
      },
    }) as unknown as Admissions

  test('takes one of ten times the RPM, of the key where it has one', async () => {
    await guardLookUp(
      callerWith({ rpm: 120, tpm: null }),
      answering(() => null),
    )
    await guardLookUp(
      callerWith({ rpm: 120, tpm: null }, { rpm: 4 }),
      answering(() => null),
    )
    expect(taken.map(({ id, limit, amount }) => [id, limit, amount])).toEqual([
      ['account:acc_1:look-ups', 1_200, 1],
      ['key:key_1:look-ups', 40, 1],
    ])
  })

  test('does not exist without an RPM limit', async () => {
    await guardLookUp(
      callerWith({ rpm: null, tpm: null }),
      answering(() => null),
    )
    expect(taken).toEqual([])
  })

  test('refuses when it is full', async () => {
    const full = answering((window) => ({ reason: 'window', window, retryAfterSeconds: 9 }))
    await expect(guardLookUp(callerWith({ rpm: 1, tpm: null }), full)).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      headers: { 'retry-after': '9' },
    })
  })
})

describe('the refusal', () => {
  const window = { id: 'key:key_1:tokens', metric: 'tokens', limit: 100, amount: 5 } as const

  test('says whose limit it is and when to retry', () => {
    const error = rateLimitError(window, 12)
    expect(error.message).toBe('The limit of 100 tokens per minute of this API key is reached.')
    expect(error.headers).toEqual({ 'retry-after': '12' })
    expect(rateLimitError({ ...window, id: 'account:acc_1:tokens' }, 1).message).toContain('of this account')
  })

  test('says when waiting does not help', () => {
    expect(rateLimitError({ ...window, amount: 101 }, 1).message).toEndWith(
      'This request alone needs 101; ask for less.',
    )
  })
})
