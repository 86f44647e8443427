import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Demand, Growth, WindowDemand } from '../../serve/ports/admissions.ts'
import { MemoryAdmissions } from './memory-admissions.ts'

const DAY_MS = 86_400_000
const clock = { timeMs: 0, nowMs: () => clock.timeMs }
let admissions: MemoryAdmissions
beforeEach(() => {
  clock.timeMs = Date.parse('2026-06-10T12:00:00Z')
  admissions = new MemoryAdmissions(clock, new Map([['rich', 1_000n]]))
})

const requests = (limit: number, id = 'key:1:requests'): WindowDemand => ({
  id,
  metric: 'requests',
  limit,
  amount: 1,
})
const tokens = (limit: number, amount: number): WindowDemand => ({
  id: 'key:1:tokens',
  metric: 'tokens',
  limit,
  amount,
})

let lastId = 0
function demand(fields: Partial<Omit<Demand, 'hold'>> & { hold?: Partial<Demand['hold']> } = {}): Demand {
  lastId += 1
  const { hold, ...rest } = fields
  return {
    requestId: `req_${lastId}`,
    accountId: 'rich',
    keyId: 'key_1',
    configurationVersion: 0,
    windows: [],
    conversation: null,
    ...rest,
    hold: { amountNano: 0n, creditLineNano: null, usageLimit: null, ...hold },
  }
}

test('the holds of requests under way are counted and added up', () => {
  const first = demand({ hold: { amountNano: 30n } })
  admissions.admit(first)
  admissions.admit(demand({ hold: { amountNano: 12n } }))
  expect(admissions.openHolds()).toEqual({ count: 2, heldNano: 42n })
  admissions.settle(first.requestId, 5n, clock.timeMs)
  expect(admissions.openHolds()).toEqual({ count: 1, heldNano: 12n })
})

describe('windows', () => {
  test('are taken together or not at all', () => {
    const windows = [requests(5), tokens(10, 6)]
    expect(admissions.admit(demand({ windows }))).toBeNull()
    expect(admissions.admit(demand({ windows }))).toMatchObject({
      reason: 'window',
      window: { metric: 'tokens' },
    })
    expect(admissions.read(windows)).toEqual([
      { metric: 'requests', limit: 5, remaining: 4, resetSeconds: 60 },
      { metric: 'tokens', limit: 10, remaining: 4, resetSeconds: 60 },
    ])
  })

  test('are not taken when there is no money', () => {
    const windows = [requests(5)]
    const refusal = admissions.admit(demand({ windows, hold: { amountNano: 1_001n, creditLineNano: 0n } }))
    expect(refusal).toEqual({ reason: 'balance' })
    expect(admissions.read(windows)[0]?.remaining).toBe(5)
  })

  test('refuse with the time until the last full one resets', () => {
    const early = requests(1, 'account:1:requests')
    const late = requests(1, 'key:1:requests')
    admissions.admit(demand({ windows: [early] }))
    clock.timeMs += 10_000
    admissions.admit(demand({ windows: [late] }))
    clock.timeMs += 20_500
    for (const windows of [
      [early, late],
      [late, early],
    ]) {
      expect(admissions.admit(demand({ windows }))).toEqual({
        reason: 'window',
        window: late,
        retryAfterSeconds: 40,
      })
    }
  })

  test('that are smaller than a demand refuse it with one second to wait', () => {
    expect(admissions.admit(demand({ windows: [tokens(5, 6)] }))).toMatchObject({ retryAfterSeconds: 1 })
  })

  test('of capacity need no balance', () => {
    expect(admissions.takeCapacity([requests(1)])).toBeNull()
    expect(admissions.takeCapacity([requests(1)])).toMatchObject({ reason: 'window', retryAfterSeconds: 60 })
    expect(admissions.takeCapacity([])).toBeNull()
  })

  test('can be read without spending', () => {
    for (let look = 0; look < 3; look += 1) {
      expect(admissions.read([requests(3)])).toEqual([
        { metric: 'requests', limit: 3, remaining: 3, resetSeconds: 0 },
      ])
    }
  })

  test('that are open survive the sweep', () => {
    for (let sent = 0; sent < 10_000; sent += 1) admissions.takeCapacity([requests(20_000)])
    expect(admissions.read([requests(20_000)])[0]?.remaining).toBe(10_000)
  })
})

describe('money', () => {
  const spending = (amountNano: bigint, creditLineNano: bigint | null = 0n) => ({
    hold: { amountNano, creditLineNano },
  })

  test('is held until settled, then replaced by the cost', () => {
    const first = demand(spending(700n))
    expect(admissions.admit(first)).toBeNull()
    expect(admissions.admit(demand(spending(301n)))).toEqual({ reason: 'balance' })
    expect(admissions.balanceNano('rich')).toBe(1_000n)
    admissions.settle(first.requestId, 100n, clock.timeMs)
    expect(admissions.balanceNano('rich')).toBe(900n)
    expect(admissions.admit(demand(spending(900n)))).toBeNull()
  })

  test('is settled once', () => {
    const once = demand(spending(10n))
    admissions.admit(once)
    admissions.settle(once.requestId, 10n, clock.timeMs)
    admissions.settle(once.requestId, 10n, clock.timeMs)
    admissions.settle('unknown', 10n, clock.timeMs)
    expect(admissions.balanceNano('rich')).toBe(990n)
  })

  test('can go below zero down to the credit line, and without limit when it is unlimited', () => {
    expect(admissions.admit(demand({ accountId: 'poor', ...spending(51n, 50n) }))).toEqual({
      reason: 'balance',
    })
    expect(admissions.admit(demand({ accountId: 'poor', ...spending(50n, 50n) }))).toBeNull()
    expect(admissions.admit(demand({ accountId: 'poor', ...spending(10n ** 15n, null) }))).toBeNull()
  })

  test('is not needed for free requests', () => {
    expect(admissions.admit(demand({ accountId: 'poor', ...spending(0n) }))).toBeNull()
  })

  test('grows by a credit', () => {
    admissions.credit('poor', 5n)
    admissions.credit('poor', -2n)
    expect(admissions.balanceNano('poor')).toBe(3n)
  })
})

describe('the usage limit of a key', () => {
  const usageLimit = { period: 'daily', amountNano: 100n } as const
  const spending = (amountNano: bigint) => ({ hold: { amountNano, usageLimit } })

  test('counts holds and settlements of the period', () => {
    const first = demand(spending(60n))
    admissions.admit(first)
    expect(admissions.admit(demand(spending(41n)))).toEqual({ reason: 'key-spending-limit' })
    admissions.settle(first.requestId, 59n, clock.timeMs)
    expect(admissions.admit(demand(spending(41n)))).toBeNull()
  })

  test('can be read with the held amount, also for an unknown key', () => {
    const [first, second] = [demand(spending(60n)), demand(spending(10n))]
    admissions.admit(first)
    admissions.admit(second)
    admissions.settle(first.requestId, 59n, clock.timeMs)
    expect(admissions.keyMoney('key_1', 'daily')).toEqual({ spentNano: 59n, heldNano: 10n })
    expect(admissions.keyMoney('nobody', 'daily')).toEqual({ spentNano: 0n, heldNano: 0n })
  })

  test('is reached until the period ends', () => {
    const all = demand(spending(100n))
    admissions.admit(all)
    admissions.settle(all.requestId, 100n, clock.timeMs)
    expect(admissions.hasReachedLimit('key_1', usageLimit)).toBe(true)
    clock.timeMs += DAY_MS
    expect(admissions.hasReachedLimit('key_1', usageLimit)).toBe(false)
  })

  test('counts a cost on the day the request ended, even when settled after midnight', () => {
    const late = demand(spending(100n))
    admissions.admit(late)
    clock.timeMs += DAY_MS
    admissions.settle(late.requestId, 100n, clock.timeMs - DAY_MS)
    expect(admissions.hasReachedLimit('key_1', usageLimit)).toBe(false)
    expect(admissions.keyMoney('key_1', 'forever').spentNano).toBe(100n)
  })

  test('includes spending from before this process, also for a key with a request under way', () => {
    const underWay = demand(spending(30n))
    admissions.admit(underWay)
    const day = Math.floor(clock.timeMs / DAY_MS)
    admissions.loadKeySpend('key_1', [{ keyId: 'key_1', day, amountNano: 60n }])
    expect(admissions.admit(demand(spending(11n)))).toEqual({ reason: 'key-spending-limit' })
    admissions.settle(underWay.requestId, 30n, clock.timeMs)
    expect(admissions.admit(demand(spending(11n)))).toEqual({ reason: 'key-spending-limit' })
    expect(admissions.admit(demand(spending(10n)))).toBeNull()
  })
})

describe('a partial hold', () => {
  const part = (leastNano: bigint, usageLimit: Demand['hold']['usageLimit'] = null) => ({
    windows: [requests(5)],
    hold: { amountNano: 5_000n, leastNano, creditLineNano: 0n, usageLimit },
  })

  test('takes what the balance has, and the windows as always', () => {
    expect(admissions.admit(demand(part(1_000n)))).toEqual({ reason: 'partial-hold', heldNano: 1_000n })
    expect(admissions.keyMoney('key_1', 'daily').heldNano).toBe(1_000n)
    expect(admissions.admit(demand(part(1n)))).toEqual({ reason: 'balance' })
    expect(admissions.read([requests(5)])[0]?.remaining).toBe(4)
  })

  test('takes what the limit of the key has left', () => {
    const asked = demand(part(1n, { period: 'daily', amountNano: 300n }))
    expect(admissions.admit(asked)).toEqual({ reason: 'partial-hold', heldNano: 300n })
    admissions.settle(asked.requestId, 300n, clock.timeMs)
    expect(admissions.balanceNano('rich')).toBe(700n)
    expect(admissions.keyMoney('key_1', 'daily')).toEqual({ spentNano: 300n, heldNano: 0n })
  })
})

describe('a hold under way', () => {
  const usageLimit = { period: 'daily', amountNano: 800n } as const
  const bounds = { creditLineNano: 100n, usageLimit: null }
  const grow = (
    { requestId, accountId, keyId }: Demand,
    amountNano: bigint,
    limits: Pick<Growth, 'creditLineNano' | 'usageLimit'> = bounds,
  ) => admissions.grow({ requestId, accountId, keyId, amountNano, ...limits })
  let first: Demand
  beforeEach(() => {
    first = demand({ hold: { amountNano: 400n, ...bounds } })
    admissions.admit(first)
  })

  test('grows up to the balance and credit line, or stays as it is', () => {
    expect(grow(first, 1_101n)).toBe(false)
    expect(admissions.keyMoney('key_1', 'daily').heldNano).toBe(400n)
    expect(grow(first, 1_100n)).toBe(true)
    expect(admissions.keyMoney('key_1', 'daily').heldNano).toBe(1_100n)
    expect(admissions.admit(demand({ hold: { amountNano: 1n, ...bounds } }))).toEqual({ reason: 'balance' })
  })

  test('grows up to the limit of the key', () => {
    expect(grow(first, 801n, { creditLineNano: null, usageLimit })).toBe(false)
    expect(grow(first, 800n, { creditLineNano: null, usageLimit })).toBe(true)
  })

  test('never shrinks, and counts a repeated growth once', () => {
    expect([grow(first, 500n), grow(first, 500n), grow(first, 300n)]).toEqual([true, true, true])
    expect(admissions.keyMoney('key_1', 'daily').heldNano).toBe(500n)
  })

  test('is released whole when settled, and does not grow afterwards', () => {
    grow(first, 900n)
    admissions.settle(first.requestId, 850n, clock.timeMs)
    expect(admissions.balanceNano('rich')).toBe(150n)
    expect(admissions.keyMoney('key_1', 'daily')).toEqual({ spentNano: 850n, heldNano: 0n })
    expect(grow(first, 1n)).toBe(false)
    expect(grow(demand(), 1n)).toBe(false)
  })
})

test('no limit is exceeded in any order of admissions and settlements within their holds', () => {
  const step = fc.record({
    holdNano: fc.bigInt({ min: 1n, max: 40n }),
    settles: fc.boolean(),
    share: fc.nat(100),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const tested = new MemoryAdmissions(clock, new Map([['rich', 300n]]))
      const usageLimit = { period: 'forever', amountNano: 200n } as const
      const open: { requestId: string; holdNano: bigint }[] = []
      let spentNano = 0n
      for (const { holdNano, settles, share } of steps) {
        const asked = demand({ hold: { amountNano: holdNano, creditLineNano: 0n, usageLimit } })
        if (tested.admit(asked) === null) open.push({ requestId: asked.requestId, holdNano })
        const ended = settles ? open.shift() : undefined
        if (ended === undefined) continue
        const costNano = (ended.holdNano * BigInt(share)) / 100n
        tested.settle(ended.requestId, costNano, clock.timeMs)
        spentNano += costNano
      }
      const heldNano = open.reduce((sum, each) => sum + each.holdNano, 0n)
      expect(spentNano + heldNano).toBeLessThanOrEqual(200n)
      expect(tested.balanceNano('rich')).toBe(300n - spentNano)
    }),
  )
})
