import { beforeEach, describe, expect, test } from 'bun:test'
import type { WindowDemand } from '../../../serve/ports/admissions.ts'
import type { AccountUpdate, AdmitCall, SharedNotice } from '../../../serve/ports/shared-limits.ts'
import type { KeyTotals } from '../../../serve/ports/shared-storage.ts'
import { settleAll } from './manual-time.ts'
import { ModelHub, type ModelLimits } from './model-limits.ts'

const DAY_MS = 86_400_000
const clock = { timeMs: 0, nowMs: () => clock.timeMs }
let hub: ModelHub
let left: ModelLimits
let right: ModelLimits

beforeEach(async () => {
  clock.timeMs = Date.parse('2026-06-10T12:00:00Z')
  hub = new ModelHub(clock)
  left = hub.limitsForNode('left')
  right = hub.limitsForNode('right')
  await left.beginGeneration('first')
})

const requests = (limit: number, id = 'account:acc:requests'): WindowDemand => ({
  id,
  metric: 'requests',
  limit,
  amount: 1,
})
const news = (fields: Partial<AccountUpdate> = {}): AccountUpdate => ({
  generation: 'first',
  stored: [],
  balance: null,
  keys: [],
  isLoad: false,
  ...fields,
})
const load = (balanceNano: bigint, keys: KeyTotals[] = []) =>
  left.learn('acc', news({ balance: { balanceNano, version: 1n }, keys, isLoad: true }))

function totals(dailyNano: bigint, startDay = Math.floor(clock.timeMs / DAY_MS)): KeyTotals {
  const total = { startDay, spentNano: dailyNano }
  return {
    keyId: 'key',
    totals: { daily: total, weekly: total, monthly: total, forever: { ...total, startDay: 0 } },
  }
}

let lastId = 0
function call({
  hold,
  ...fields
}: Partial<Omit<AdmitCall, 'hold'>> & { hold?: Partial<AdmitCall['hold']> } = {}) {
  lastId += 1
  return {
    requestId: `req_${lastId}`,
    accountId: 'acc',
    keyId: 'key',
    generation: 'first',
    configurationVersion: 1,
    windows: [],
    conversation: null,
    ...fields,
    hold: { amountNano: 0n, creditLineNano: 0n, usageLimit: null, ...hold },
  } satisfies AdmitCall
}
const daily = (amountNano: bigint, limitNano: bigint) => ({
  hold: { amountNano, usageLimit: { period: 'daily' as const, amountNano: limitNano } },
})

describe('the order of checks', () => {
  const hopeless = { windows: [requests(0)], ...daily(2n, 1n) }

  test('is the generation, then the configuration, then account and key', async () => {
    await left.announceConfiguration(2)
    const outdated = { ...hopeless, generation: 'zeroth' }
    expect(await left.admit(call(outdated))).toEqual({ type: 'unknown', missing: 'generation' })
    expect(await left.admit(call(hopeless))).toEqual({ type: 'behind', version: 2 })
    const current = { ...hopeless, configurationVersion: 2 }
    expect(await left.admit(call(current))).toEqual({ type: 'unknown', missing: 'account' })
    await load(0n)
    expect(await left.admit(call(current))).toEqual({ type: 'unknown', missing: 'key' })
    await left.learn('acc', news({ keys: [totals(0n)] }))
    expect(await left.admit(call(current))).toEqual({ type: 'unknown', missing: 'key' })
    await left.learn('acc', news({ keys: [totals(0n)], isLoad: true }))
    expect(await left.admit(call(current))).toMatchObject({ refusal: { reason: 'window' } })
  })

  test('is a window, then the spending limit, then the balance', async () => {
    await load(0n, [totals(0n)])
    expect(await left.admit(call(daily(2n, 1n)))).toMatchObject({ refusal: { reason: 'key-spending-limit' } })
    expect(await left.admit(call(daily(1n, 1n)))).toMatchObject({ refusal: { reason: 'balance' } })
    expect(await left.admit(call(daily(0n, 1n)))).toMatchObject({ type: 'admitted' })
  })

  test('takes nothing when it refuses', async () => {
    await load(5n)
    const windows = [requests(3)]
    expect(await left.admit(call({ windows, hold: { amountNano: 6n } }))).toMatchObject({
      type: 'refused',
      windows: [{ spent: 0, closesInMs: 0 }],
    })
    expect(await right.admit(call({ windows, hold: { amountNano: 5n } }))).toMatchObject({
      type: 'admitted',
      windows: [{ spent: 1, closesInMs: 60_000 }],
    })
    expect(hub.account('acc').money.heldNano).toBe(5n)
  })
})

describe('holds', () => {
  const holdings = () => ({
    left: hub
      .account('acc')
      .money.holdsOf('left')
      .map(({ requestId }) => requestId),
    right: hub
      .account('acc')
      .money.holdsOf('right')
      .map(({ requestId }) => requestId),
  })
  const hold = (requestId: string, amountNano: bigint) => ({ requestId, keyId: 'key', amountNano })

  test('are what their node asserts, except unsure ones', async () => {
    await load(100n)
    for (const requestId of ['a', 'b', 'c']) {
      await left.admit(call({ requestId, hold: { amountNano: 10n } }))
    }
    await right.admit(call({ requestId: 'd', hold: { amountNano: 10n } }))
    await left.assertHolds('acc', [hold('b', 4n), hold('e', 7n)], ['c', 'f'])
    expect(holdings()).toEqual({ left: ['c', 'b', 'e'], right: ['d'] })
    expect(hub.account('acc').money.heldNano).toBe(31n)
    expect(hub.account('acc').money.heldOn('key')).toBe(31n)
  })

  test('become costs', async () => {
    await load(100n)
    await left.admit(call({ requestId: 'a', hold: { amountNano: 10n } }))
    await left.settle('acc', [hold('a', 3n), hold('gone', 50n)])
    await right.settle('acc', [hold('a', 99n)])
    expect(hub.account('acc').money.heldNano).toBe(3n)
  })

  test('of a dead node are released, and the account has to be loaded again', async () => {
    await load(100n, [totals(1n)])
    await left.admit(call({ requestId: 'a', hold: { amountNano: 10n } }))
    expect(await right.releaseNode('nobody')).toBe(0)
    expect(await right.admit(call(daily(0n, 50n)))).toMatchObject({ type: 'admitted' })
    expect(await right.releaseNode('left')).toBe(1)
    expect(await right.admit(call())).toEqual({ type: 'unknown', missing: 'account' })
    await load(100n)
    expect(await right.admit(call(daily(0n, 50n)))).toEqual({ type: 'unknown', missing: 'key' })
  })
})

describe('updates', () => {
  test('that are older change no balance, but still remove holds', async () => {
    await load(100n)
    await left.admit(call({ requestId: 'a', hold: { amountNano: 10n } }))
    await right.learn('acc', news({ balance: { balanceNano: 70n, version: 3n } }))
    await left.learn('acc', news({ balance: { balanceNano: 90n, version: 2n }, stored: ['a'] }))
    const { money } = hub.account('acc')
    expect([money.balanceNano, money.heldNano]).toEqual([70n, 0n])
  })

  test('of an account that is not loaded are kept until it is', async () => {
    await right.learn('acc', news({ balance: { balanceNano: 70n, version: 3n } }))
    await load(100n)
    expect(hub.account('acc').money.balanceNano).toBe(70n)
  })

  test('of another generation change nothing', async () => {
    await left.learn('acc', { ...news({ balance: { balanceNano: 9n, version: 9n } }), generation: 'zeroth' })
    await load(100n)
    expect(hub.account('acc').money.balanceNano).toBe(100n)
  })

  test('of totals count for their period and never decrease', async () => {
    await load(1_000n, [totals(60n)])
    await right.learn('acc', news({ keys: [totals(50n), totals(900n, 1)] }))
    expect(await left.admit(call(daily(41n, 100n)))).toMatchObject({
      refusal: { reason: 'key-spending-limit' },
    })
    clock.timeMs += DAY_MS
    expect(await left.admit(call(daily(100n, 100n)))).toMatchObject({ type: 'admitted' })
  })
})

describe('generations', () => {
  test('are begun once and joined by name', async () => {
    expect(await right.beginGeneration('second')).toBe('first')
    expect(await left.generation()).toBe('first')
    await left.joinGeneration('first')
    await right.joinGeneration('other')
    expect(await left.listJoined('first')).toEqual(['left'])
    expect(await left.listJoined('none')).toEqual([])
  })
})

describe('capacity', () => {
  test('is taken from the first option with room', async () => {
    const [full, free] = [[requests(0, 'credential:a:requests')], [requests(1, 'credential:b:requests')]]
    expect(await left.takeCapacity(null, [full, free])).toEqual({ type: 'taken', option: 1 })
    clock.timeMs += 20_000
    expect(await right.takeCapacity(null, [full, free])).toEqual({
      type: 'refused',
      retryAfterSeconds: [1, 40],
    })
    expect(await right.takeCapacity('acc', [free])).toEqual({ type: 'taken', option: 0 })
    expect(await right.takeCapacity(null, [full, []])).toEqual({ type: 'taken', option: 1 })
    expect(await right.look(null, free)).toEqual([{ spent: 1, closesInMs: 40_000 }])
    clock.timeMs += 40_000
    expect(await right.look(null, free)).toEqual([{ spent: 0, closesInMs: 0 }])
  })
})

describe('expiring state', () => {
  test('pins of a conversation', async () => {
    await load(0n)
    const pin = { supplierId: 's', credentialId: 'c' }
    await right.savePin({ accountId: 'acc', conversation: 'talk', keptMs: 1_000, ...pin })
    expect(await left.admit(call({ conversation: 'talk' }))).toMatchObject({ pin })
    expect(await left.admit(call({ conversation: 'other' }))).toMatchObject({ pin: null })
    clock.timeMs += 1_000
    expect(await left.admit(call({ conversation: 'talk' }))).toMatchObject({ pin: null })
  })

  test('notes of an account', async () => {
    await right.saveNote({ accountId: 'acc', name: 'one', text: 'sealed', keptMs: 1_000 })
    expect(await left.findNotes('acc', ['none', 'one'])).toEqual([null, 'sealed'])
    expect(await left.findNotes('other', ['one'])).toEqual([null])
    clock.timeMs += 1_000
    expect(await left.findNotes('acc', ['one'])).toEqual([null])
  })

  test('notices, which all other nodes receive', async () => {
    const heard: [string, SharedNotice][] = []
    left.onNotice((notice) => heard.push(['left', notice]))
    const end = right.onNotice((notice) => heard.push(['right', notice]))
    const notice: SharedNotice = { type: 'cooling', supplierId: 's', credentialId: 'c', forMs: 500 }
    await left.publish(notice, 500)
    await left.publish(notice, 500)
    await settleAll()
    expect(heard).toEqual([
      ['right', notice],
      ['right', notice],
    ])
    expect(await right.listKept()).toEqual([notice])
    clock.timeMs += 500
    expect(await right.listKept()).toEqual([])
    end()
    await right.close()
    await left.publish({ type: 'configuration', version: 1 })
    await settleAll()
    expect(heard).toHaveLength(2)
  })

  test('the newest configuration', async () => {
    expect(await left.configurationVersion()).toBeNull()
    await left.announceConfiguration(5)
    await right.announceConfiguration(3)
    expect(await left.configurationVersion()).toBe(5)
  })
})
