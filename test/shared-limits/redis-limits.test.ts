import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { findRedis } from '../../scripts/tests/redis.ts'
import type { RedisLimits } from '../../src/edges/redis/redis-limits.ts'
import { periodStartDay } from '../../src/rules/ledger/period.ts'
import type { SharedNotice } from '../../src/serve/ports/shared-limits.ts'
import { eventually } from '../support/eventually.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import {
  admitCall,
  GENERATION,
  keyTotals,
  loadAccount,
  openConnectedLimits,
  type TestLimitsOptions,
  uniquePrefix,
} from './support/redis-limits.ts'

const redis = await findRedis()
const opened: RedisLimits[] = []
afterAll(async () => {
  await Promise.all(opened.map((sharedLimits) => sharedLimits.close()))
  await redis?.stop()
})

async function openSharedLimits(options: TestLimitsOptions = {}): Promise<RedisLimits> {
  const sharedLimits = await openConnectedLimits(redis?.url ?? '', options)
  opened.push(sharedLimits)
  return sharedLimits
}

async function openThree(): Promise<readonly RedisLimits[]> {
  const prefix = uniquePrefix()
  return Promise.all(['node-1', 'node-2', 'node-3'].map((nodeId) => openSharedLimits({ nodeId, prefix })))
}

const MANY = 3_000
const DAY_MS = 86_400_000

describe.skipIf(redis === null)('several nodes at one Redis', () => {
  test('admit exactly as many as a window holds', async () => {
    const nodeLimits = await openThree()
    await loadAccount(nodeLimits[0] as RedisLimits, 'account-1')
    const windows = [
      { id: 'account:account-1:requests', metric: 'requests' as const, limit: 1_000, amount: 1 },
      { id: 'account:account-1:tokens', metric: 'tokens' as const, limit: 7_000, amount: 10 },
    ]
    const answers = await Promise.all(
      Array.from({ length: MANY }, (_, index) => nodeLimits[index % 3]?.admit(admitCall({ windows }))),
    )
    const admitted = answers.filter((answer) => answer?.type === 'admitted')
    expect(admitted).toHaveLength(700)
    const refused = answers.find((answer) => answer?.type === 'refused')
    expect(refused).toMatchObject({ refusal: { reason: 'window', window: { metric: 'tokens' } } })
  })

  test('admit exactly as much as the balance pays for, beyond what a double can count', async () => {
    const nodeLimits = await openThree()
    const price = 2n ** 53n + 1n
    await loadAccount(nodeLimits[0] as RedisLimits, 'account-1', price * 100n - 1n)
    const hold = { amountNano: price, creditLineNano: 0n, usageLimit: null }
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => nodeLimits[index % 3]?.admit(admitCall({ hold }))),
    )
    expect(answers.filter((answer) => answer?.type === 'admitted')).toHaveLength(99)
    expect(answers.find((answer) => answer?.type === 'refused')).toMatchObject({
      refusal: { reason: 'balance' },
    })
  })

  test('check against the newest configuration that any of them announced', async () => {
    const [one, two] = (await openThree()) as [RedisLimits, RedisLimits]
    await loadAccount(one, 'account-1')
    expect(await two.configurationVersion()).toBeNull()
    for (let version = 2; version <= 200; version++) {
      await one.announceConfiguration(version)
      const stale = await two.admit(admitCall({ configurationVersion: version - 1 }))
      expect(stale).toEqual({ type: 'behind', version })
    }
    await one.announceConfiguration(5)
    expect(await two.configurationVersion()).toBe(200)
  })

  test('receive notices of each other, not their own', async () => {
    const [one, two, three] = (await openThree()) as [RedisLimits, RedisLimits, RedisLimits]
    const heard: [string, SharedNotice][] = []
    one.onNotice((notice) => heard.push(['one', notice]))
    const forget = two.onNotice((notice) => heard.push(['two', notice]))
    three.onNotice((notice) => heard.push(['three', notice]))
    const notice: SharedNotice = { type: 'cooling', supplierId: 's', credentialId: 'c', forMs: 5 }
    await one.publish(notice)
    await eventually('both hear', () => heard.length === 2)
    expect(heard.map(([who]) => who).sort()).toEqual(['three', 'two'])
    forget()
    await two.publish({ type: 'generation', generation: 'g' }, 60_000)
    await eventually('the others hear', () => heard.length === 4)
    expect(heard.map(([who]) => who).sort()).toEqual(['one', 'three', 'three', 'two'])
  })

  test('begin one generation and list who has joined it', async () => {
    const nodeLimits = await openThree()
    expect(await nodeLimits[0]?.generation()).toBeNull()
    const begun = await Promise.all(
      nodeLimits.map((sharedLimits, index) => sharedLimits.beginGeneration(`proposal-${index}`)),
    )
    expect(new Set(begun).size).toBe(1)
    const [generation = ''] = begun
    await nodeLimits[0]?.joinGeneration(generation)
    await nodeLimits[1]?.joinGeneration(generation)
    await nodeLimits[1]?.joinGeneration(generation)
    expect([...((await nodeLimits[2]?.listJoined(generation)) ?? [])].sort()).toEqual(['node-1', 'node-2'])
    expect(await nodeLimits[2]?.listJoined('another')).toEqual([])
  })
})

describe.skipIf(redis === null)('a limits store in Redis', () => {
  test('keeps each notice once, until it expires', async () => {
    const clock = createMovableClock()
    const sharedLimits = await openSharedLimits({ clock })
    const short: SharedNotice = { type: 'generation', generation: 'short' }
    const long: SharedNotice = { type: 'generation', generation: 'long' }
    await sharedLimits.publish(short, 1_000)
    await sharedLimits.publish(long, 5_000)
    await sharedLimits.publish(long, 5_000)
    expect(await sharedLimits.listKept()).toHaveLength(2)
    clock.advance(1_000)
    expect(await sharedLimits.listKept()).toEqual([long])
    clock.advance(4_000)
    expect(await sharedLimits.listKept()).toEqual([])
  })

  test('keeps notes and pins by account, until they expire', async () => {
    const sharedLimits = await openSharedLimits()
    await loadAccount(sharedLimits, 'account-1')
    await sharedLimits.saveNote({
      accountId: 'account-1',
      name: 'n1',
      text: 'sealed \n ünïcode',
      keptMs: 60_000,
    })
    await sharedLimits.saveNote({ accountId: 'account-1', name: 'n2', text: 'soon gone', keptMs: 1 })
    await eventually('the note is over', async () => {
      const notes = await sharedLimits.findNotes('account-1', ['n2', 'n1', 'n3'])
      return notes[0] === null && notes[1] === 'sealed \n ünïcode' && notes[2] === null
    })
    expect(await sharedLimits.findNotes('account-2', ['n1'])).toEqual([null])
    const pin = { supplierId: 'a"b', credentialId: 'c' }
    await sharedLimits.savePin({ ...pin, accountId: 'account-1', conversation: 'talk', keptMs: 60_000 })
    expect(await sharedLimits.admit(admitCall({ conversation: 'talk' }))).toMatchObject({ pin })
    expect(await sharedLimits.admit(admitCall({ conversation: 'other' }))).toMatchObject({ pin: null })
  })

  test('uses the time of Redis: a window lasts a minute from its first spend', async () => {
    const sharedLimits = await openSharedLimits()
    await loadAccount(sharedLimits, 'account-1')
    const windows = [{ id: 'w', metric: 'requests' as const, limit: 2, amount: 1 }]
    const first = await sharedLimits.admit(admitCall({ windows }))
    expect(first).toMatchObject({ type: 'admitted', windows: [{ spent: 1, closesInMs: 60_000 }] })
    const [state] = await sharedLimits.look('account-1', windows)
    expect(state?.closesInMs).toBeWithin(1, 60_001)
  })

  test('settles, learns and asserts long lists', async () => {
    const sharedLimits = await openSharedLimits()
    await loadAccount(sharedLimits, 'account-1', 20_000n)
    const holds = Array.from({ length: 9_000 }, (_, index) => {
      return { requestId: `r${index}`, keyId: 'key-1', amountNano: 1n }
    })
    const canHold = async (amountNano: bigint) => {
      const hold = { amountNano, creditLineNano: 0n, usageLimit: null }
      const answer = await sharedLimits.admit(admitCall({ requestId: 'probe', hold }))
      await sharedLimits.settle('account-1', [{ requestId: 'probe', keyId: 'key-1', amountNano: 0n }])
      return answer.type === 'admitted'
    }
    await sharedLimits.assertHolds('account-1', holds, [])
    expect([await canHold(11_000n), await canHold(11_001n)]).toEqual([true, false])
    await sharedLimits.settle(
      'account-1',
      holds.map((hold) => ({ ...hold, amountNano: 2n })),
    )
    expect([await canHold(2_000n), await canHold(2_001n)]).toEqual([true, false])
    const stored = holds.slice(0, 8_999).map(({ requestId }) => requestId)
    await sharedLimits.learn('account-1', {
      generation: GENERATION,
      stored,
      balance: null,
      keys: [],
      isLoad: false,
    })
    expect([await canHold(19_998n), await canHold(19_999n)]).toEqual([true, false])
  })

  test('releases the holds of a dead node in every account', async () => {
    const prefix = uniquePrefix()
    const [dead, alive] = await Promise.all(
      ['node-[1]*', 'node-2'].map((nodeId) => openSharedLimits({ nodeId, prefix })),
    )
    if (dead === undefined || alive === undefined) throw new Error('both limits stores must be open')
    const hold = { amountNano: 60n, creditLineNano: 0n, usageLimit: null }
    for (let index = 0; index < 30; index++) {
      await loadAccount(alive, `account-${index}`, 100n)
      expect(await dead.admit(admitCall({ accountId: `account-${index}`, hold }))).toMatchObject({
        type: 'admitted',
      })
      expect(await alive.admit(admitCall({ accountId: `account-${index}`, hold }))).toMatchObject({
        refusal: { reason: 'balance' },
      })
    }
    expect(await alive.releaseNode('node-[1]*')).toBe(30)
    expect(await alive.releaseNode('node-[1]*')).toBe(0)
    for (let index = 0; index < 30; index++) {
      const call = admitCall({ accountId: `account-${index}`, hold })
      // It may have stored what its requests cost without telling, so the account is loaded before anyone judges by it.
      expect(await alive.admit(call)).toEqual({ type: 'unknown', missing: 'account' })
      await loadAccount(alive, `account-${index}`, 100n)
      expect((await alive.admit(call)).type).toBe('admitted')
    }
  })

  test('counts spending from the first day of the period on', async () => {
    let nowMs = 0
    const sharedLimits = await openSharedLimits({ clock: { nowMs: () => nowMs } })
    const day = fc.integer({ min: 100, max: 40_000 })
    const period = fc.constantFrom('daily', 'weekly', 'monthly')
    await fc.assert(
      fc.asyncProperty(day, period, async (today, length) => {
        nowMs = today * DAY_MS + 1
        const accountId = crypto.randomUUID()
        await loadAccount(sharedLimits, accountId)
        const firstDay = periodStartDay(length, today)
        const usageLimit = { period: length, amountNano: 10n }
        const admitAfter = async (startDay: number) => {
          const keys = [keyTotals('key-1', 10n, startDay)]
          const news = { generation: GENERATION, stored: [], balance: null, isLoad: false }
          await sharedLimits.learn(accountId, { ...news, keys })
          const hold = { amountNano: 0n, creditLineNano: 0n, usageLimit }
          return (await sharedLimits.admit(admitCall({ accountId, hold }))).type
        }
        expect(await admitAfter(firstDay - 1)).toBe('admitted')
        expect(await admitAfter(firstDay)).toBe('refused')
      }),
      { numRuns: 300 },
    )
  })

  test('asks for a key that was loaded in another generation only', async () => {
    const sharedLimits = await openSharedLimits()
    await loadAccount(sharedLimits, 'account-1')
    const hold = {
      amountNano: 1n,
      creditLineNano: 0n,
      usageLimit: { period: 'daily' as const, amountNano: 5n },
    }
    expect(await sharedLimits.admit(admitCall({ keyId: 'key-2', hold }))).toEqual({
      type: 'unknown',
      missing: 'key',
    })
    await sharedLimits.learn('account-1', {
      generation: 'old',
      stored: [],
      balance: null,
      isLoad: false,
      keys: [keyTotals('key-2', 0n)],
    })
    expect(await sharedLimits.admit(admitCall({ keyId: 'key-2', hold }))).toEqual({
      type: 'unknown',
      missing: 'key',
    })
  })
})
