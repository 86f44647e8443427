import { beforeEach, describe, expect, test } from 'bun:test'
import type { WindowDemand } from '../../../serve/ports/admissions.ts'
import { settleAll } from '../testing/manual-time.ts'
import { settlementOf, type TestNode, World, type WorldOptions } from '../testing/shared-world.ts'

let world: World
let left: TestNode
let right: TestNode

async function begin(options: WorldOptions = {}): Promise<void> {
  world = new World(options)
  world.storage.move('acc', 1_000n)
  left = await world.addNode('left')
  right = await world.addNode('right')
}

beforeEach(() => begin())

const requests = (limit: number, id = 'account:acc:requests'): WindowDemand => ({
  id,
  metric: 'requests',
  limit,
  amount: 1,
})
const holding = (amountNano: bigint, creditLineNano: bigint | null = 0n) => ({
  hold: { amountNano, creditLineNano },
})
const limited = (amountNano: bigint, limitNano: bigint) => ({
  hold: { amountNano, usageLimit: { period: 'daily' as const, amountNano: limitNano } },
})

/** Any number of beats after which everybody has had time to see what happened. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) await world.beat()
}

describe('an admission', () => {
  test('is one call when everything is known', async () => {
    await world.admit(left, world.demand(holding(1n)))
    left.sharedLimits.calls.length = 0
    expect(await world.admit(left, world.demand(holding(1n)))).toBeNull()
    expect(left.sharedLimits.calls).toEqual(['admit'])
  })

  test('reads an unknown account once for all waiting requests', async () => {
    const decisions = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        world.admit(left, world.demand({ keyId: `key_${index % 3}`, ...limited(10n, 200n) })),
      ),
    )
    expect(decisions.filter((decision) => decision === null)).toHaveLength(20)
    // One of the balance and at most two of totals: those who came first, and those who came meanwhile.
    expect(world.storage.reads).toBeLessThanOrEqual(4)
    expect(world.hub.account('acc').money.heldNano).toBe(200n)
  })

  test('counts the holds of all nodes', async () => {
    expect(await world.admit(left, world.demand(holding(600n)))).toBeNull()
    expect(await world.admit(right, world.demand(holding(401n)))).toEqual({ reason: 'balance' })
    expect(await world.admit(right, world.demand(holding(400n)))).toBeNull()
  })

  test('counts what a key spent on all nodes', async () => {
    const first = world.demand(limited(60n, 100n))
    expect(await world.admit(left, first)).toBeNull()
    expect(await world.admit(right, world.demand(limited(41n, 100n)))).toEqual({
      reason: 'key-spending-limit',
    })
    world.settle(first.requestId, 10n)
    await world.time.advance(10)
    expect(await world.admit(right, world.demand(limited(91n, 100n)))).toEqual({
      reason: 'key-spending-limit',
    })
    expect(await world.admit(right, world.demand(limited(90n, 100n)))).toBeNull()
  })

  test('takes windows shared by all nodes, and each node knows their state', async () => {
    const windows = [requests(2)]
    expect(await world.admit(left, world.demand({ windows }))).toBeNull()
    expect(await world.admit(right, world.demand({ windows }))).toBeNull()
    expect(right.admissions.read(windows)).toEqual([
      { metric: 'requests', limit: 2, remaining: 0, resetSeconds: 60 },
    ])
    expect(left.admissions.read(windows)[0]?.remaining).toBe(1)
    expect(await world.admit(left, world.demand({ windows }))).toEqual({
      reason: 'window',
      window: requests(2),
      retryAfterSeconds: 60,
    })
    expect(left.admissions.read(windows)[0]?.remaining).toBe(0)
  })

  test('with an old configuration has to be checked again', async () => {
    await right.sharedLimits.announceConfiguration(2)
    expect(await world.admit(left, world.demand())).toEqual({ reason: 'configuration-changed' })
    expect(await world.admit(left, world.demand({ configurationVersion: 2 }))).toBeNull()
  })

  test('returns the pin of its conversation', async () => {
    await right.sharedLimits.savePin({
      accountId: 'acc',
      conversation: 'talk',
      supplierId: 's',
      credentialId: 'c',
      keptMs: 1_000,
    })
    await world.admit(left, world.demand({ conversation: 'talk' }))
    await world.admit(left, world.demand({ conversation: 'other' }))
    expect(world.pins).toEqual(['talk c'])
  })

  test('is refused when the account cannot be read', async () => {
    world.storage.isAway = true
    expect(await world.admit(left, world.demand(holding(1n)))).toMatchObject({ reason: 'unavailable' })
    expect(world.hub.account('acc').money.heldNano).toBe(0n)
  })
})

describe('a cost', () => {
  test('replaces the hold at once here and within milliseconds on all nodes', async () => {
    const first = world.demand(holding(900n))
    await world.admit(left, first)
    world.settle(first.requestId, 100n)
    expect(left.admissions.balanceNano('acc')).toBe(900n)
    expect(await world.admit(right, world.demand(holding(900n)))).toEqual({ reason: 'balance' })
    await world.time.advance(5)
    expect(await world.admit(right, world.demand(holding(900n)))).toBeNull()
  })

  test('of many requests of an account is sent in one call', async () => {
    const demands = Array.from({ length: 10 }, () => world.demand(holding(10n)))
    for (const demand of demands) await world.admit(left, demand)
    left.sharedLimits.calls.length = 0
    for (const { requestId } of demands) world.settle(requestId, 1n)
    await world.time.advance(5)
    expect(left.sharedLimits.calls).toEqual(['settle'])
    expect(world.hub.account('acc').money.heldNano).toBe(10n)
  })

  test('is sent once stored, and counts once', async () => {
    const demand = world.demand(limited(500n, 600n))
    await world.admit(left, demand)
    world.settle(demand.requestId, 300n)
    world.write(left)
    const [written] = left.written
    await world.note(left)
    await left.admissions.noteStored(written?.settlements ?? [], [])
    const { money } = world.hub.account('acc')
    expect({ held: money.heldNano, balance: money.balanceNano }).toEqual({ held: 0n, balance: 700n })
    expect(money.totalsOf('key')?.totals.daily.spentNano).toBe(300n)
    expect(left.admissions.balanceNano('acc')).toBe(700n)
    expect(left.admissions.keyMoney('key', 'daily')).toEqual({ spentNano: 300n, heldNano: 0n })
  })

  test('that is stored before its request settles counts once', async () => {
    const demand = world.demand(limited(500n, 600n))
    await world.admit(left, demand)
    const settlements = [settlementOf(demand, 300n, world.time.nowMs())]
    await left.admissions.noteStored(settlements, world.storage.write(settlements))
    left.admissions.settle(demand.requestId, 300n, world.time.nowMs())
    await world.time.advance(5)
    const { money } = world.hub.account('acc')
    expect({ held: money.heldNano, balance: money.balanceNano }).toEqual({ held: 0n, balance: 700n })
    expect(left.admissions.balanceNano('acc')).toBe(700n)
    expect(left.admissions.keyMoney('key', 'daily')).toEqual({ spentNano: 300n, heldNano: 0n })
  })

  test('that the database refuses for good is no longer held and not in the balance', async () => {
    const demand = world.demand(holding(900n))
    await world.admit(left, demand)
    world.settle(demand.requestId, 300n)
    await left.admissions.noteStored([settlementOf(demand, 300n, world.time.nowMs())], [])
    const { money } = world.hub.account('acc')
    expect({ held: money.heldNano, balance: money.balanceNano }).toEqual({ held: 0n, balance: 1_000n })
    expect(left.admissions.balanceNano('acc')).toBe(1_000n)
  })

  test('that an earlier process left in the journal is counted', async () => {
    await world.admit(right, world.demand(holding(1n)))
    const settlements = [settlementOf(world.demand({ requestId: 'old' }), 400n, world.time.nowMs())]
    await left.admissions.noteStored(settlements, world.storage.write(settlements))
    expect(world.hub.account('acc').money.balanceNano).toBe(600n)
    expect(left.admissions.balanceNano('acc')).toBe(600n)
  })

  test('of an unknown request is ignored', () => {
    left.admissions.settle('stranger', 5n, world.time.nowMs())
    expect(left.admissions.balanceNano('acc')).toBe(0n)
  })

  test('counts on the day it ended, and yesterday does not count today', async () => {
    const demand = world.demand(limited(80n, 100n))
    await world.admit(left, demand)
    world.settle(demand.requestId, 80n)
    world.write(left)
    await world.note(left)
    expect(left.admissions.hasReachedLimit('key', { period: 'daily', amountNano: 80n })).toBe(true)
    await world.time.advance(86_400_000)
    expect(left.admissions.hasReachedLimit('key', { period: 'daily', amountNano: 80n })).toBe(false)
    expect(left.admissions.hasReachedLimit('key', { period: 'weekly', amountNano: 80n })).toBe(true)
    expect(await world.admit(right, world.demand(limited(100n, 100n)))).toBeNull()
  })

  test('is kept when the database cannot return the totals', async () => {
    const demand = world.demand(limited(500n, 600n))
    await world.admit(left, demand)
    world.settle(demand.requestId, 300n)
    world.write(left)
    world.storage.isAway = true
    await world.note(left)
    expect(world.hub.account('acc').money.heldNano).toBe(500n)
    await world.time.advance(10)
    expect(world.hub.account('acc').money.heldNano).toBe(300n)
    world.storage.isAway = false
    await seconds(1)
    const { money } = world.hub.account('acc')
    expect({ held: money.heldNano, balance: money.balanceNano }).toEqual({ held: 0n, balance: 700n })
    expect(money.totalsOf('key')?.totals.forever.spentNano).toBe(300n)
  })
})

describe('a payment', () => {
  test('can be spent on every node when it is credited', async () => {
    expect(await world.admit(right, world.demand(holding(1_500n)))).toEqual({ reason: 'balance' })
    world.storage.move('acc', 500n)
    await left.admissions.credit('acc')
    expect(left.admissions.balanceNano('acc')).toBe(1_500n)
    expect(await world.admit(right, world.demand(holding(1_500n)))).toBeNull()
  })

  test('is sent at the next beat when the limits store was down', async () => {
    await world.admit(right, world.demand(holding(1n)))
    left.sharedLimits.fault = 'lost'
    world.storage.move('acc', 500n)
    await left.admissions.credit('acc')
    left.sharedLimits.fault = 'none'
    await seconds(1)
    expect(world.hub.account('acc').money.balanceNano).toBe(1_500n)
  })
})

describe('what this node knows', () => {
  test('is refreshed from the limits store and the database', async () => {
    const windows = [requests(5)]
    const demand = world.demand({ windows, ...limited(100n, 600n) })
    await world.admit(right, demand)
    world.settle(demand.requestId, 40n)
    world.write(right)
    await world.note(right)
    expect(left.admissions.read(windows)[0]?.remaining).toBe(5)
    await left.admissions.catchUp({ accountId: 'acc', keyId: 'key' }, windows)
    expect(left.admissions.read(windows)[0]?.remaining).toBe(4)
    expect(left.admissions.keyMoney('key', 'monthly').spentNano).toBe(40n)
    const { reads } = world.storage
    await left.admissions.catchUp({ accountId: 'acc', keyId: 'key' }, [])
    expect(world.storage.reads).toBe(reads)
    await left.admissions.refresh({ accountIds: ['acc'], keyIds: ['key'] })
    expect(left.admissions.balanceNano('acc')).toBe(960n)
  })

  test('excludes holds of other nodes', async () => {
    await world.admit(left, world.demand(holding(10n)))
    await world.admit(right, world.demand(holding(20n)))
    expect(left.admissions.keyMoney('key', 'daily').heldNano).toBe(10n)
  })
})

describe('capacity', () => {
  const credential = (limit: number, name: string) => requests(limit, `credential:${name}:requests`)

  test('needs no call where nothing is limited', async () => {
    left.sharedLimits.calls.length = 0
    expect(await left.admissions.takeCapacity([])).toBeNull()
    expect(await left.admissions.takeFirst([[], [credential(1, 'a')]])).toEqual({ taken: 0 })
    expect(left.sharedLimits.calls).toEqual([])
  })

  test('is shared by all nodes, and the first option with room is taken', async () => {
    const options = [[credential(1, 'a')], [credential(1, 'b')]]
    expect(await left.admissions.takeFirst(options)).toEqual({ taken: 0 })
    expect(await right.admissions.takeFirst(options)).toEqual({ taken: 1 })
    expect(await left.admissions.takeFirst(options)).toEqual({ taken: null, retryAfterSeconds: [60, 60] })
    expect(await right.admissions.takeCapacity([credential(1, 'a')])).toMatchObject({ reason: 'window' })
  })

  test('of look-ups is the account’s own', async () => {
    const guard = requests(1, 'key:key:look-ups')
    expect(await left.admissions.takeCapacity([guard], 'acc')).toBeNull()
    expect(await right.admissions.takeCapacity([guard], 'acc')).toMatchObject({ retryAfterSeconds: 60 })
    expect(await right.admissions.takeCapacity([guard], 'other')).toBeNull()
  })
})

describe('an emptied limits store', () => {
  test('receives everything before the next admission', async () => {
    await world.admit(left, world.demand(holding(600n)))
    await world.admit(right, world.demand(holding(300n)))
    world.empty()
    const refused = world.admit(right, world.demand(holding(101n)))
    await settleAll()
    await world.time.advance(20)
    expect(await refused).toEqual({ reason: 'balance' })
    expect(world.hub.account('acc').money.heldNano).toBe(900n)
    expect(await world.admit(left, world.demand(holding(100n)))).toBeNull()
  })

  test('is not used while a live node has not reported its holds', async () => {
    await world.admit(left, world.demand(holding(600n)))
    await world.admit(right, world.demand(holding(1n)))
    left.sharedLimits.fault = 'silent'
    world.empty()
    const waiting = world.admit(right, world.demand(holding(900n)))
    await world.time.advance(60)
    expect(await waiting).toMatchObject({ reason: 'unavailable' })
    left.sharedLimits.fault = 'none'
    await seconds(1)
    expect(await world.admit(right, world.demand(holding(900n)))).toEqual({ reason: 'balance' })
    expect(await world.admit(right, world.demand(holding(399n)))).toBeNull()
  })

  test('is used once the lease of a node that does not join is over', async () => {
    await begin({ leaseMs: 5_000 })
    left.sharedLimits.fault = 'silent'
    world.empty()
    const first = world.admit(right, world.demand(holding(1n)))
    await seconds(6)
    expect(await first).toMatchObject({ reason: 'unavailable' })
    expect(await world.admit(right, world.demand(holding(1n)))).toBeNull()
  })

  test('is asked again by a request whose answer is from before it was emptied', async () => {
    await world.admit(right, world.demand(holding(1n)))
    left.sharedLimits.fault = 'slow'
    const underWay = world.admit(left, world.demand(holding(600n)))
    world.empty()
    await right.admissions.beat()
    await world.time.advance(200)
    expect(await underWay).toBeNull()
    expect(world.hub.account('acc').money.heldNano).toBe(601n)
    const refused = world.admit(right, world.demand(holding(400n)))
    await world.time.advance(50)
    expect(await refused).toEqual({ reason: 'balance' })
  })

  test('is filled by the next beat without any request', async () => {
    await world.admit(left, world.demand(holding(600n)))
    world.empty()
    await seconds(1)
    expect(world.hub.account('acc').money.heldNano).toBe(600n)
  })
})

describe('a node', () => {
  test('that stops releases its holds', async () => {
    await world.admit(left, world.demand(holding(600n)))
    await left.admissions.stop()
    expect(world.hub.account('acc').money.heldNano).toBe(0n)
  })

  test('that stops keeps unstored costs held', async () => {
    const demand = world.demand(holding(600n))
    await world.admit(left, demand)
    await world.admit(left, world.demand(holding(100n)))
    world.settle(demand.requestId, 50n)
    await left.admissions.stop()
    expect(world.hub.account('acc').money.holdsOf('left')).toEqual([
      { requestId: demand.requestId, keyId: 'key', amountNano: 50n },
    ])
  })

  test('that died keeps its holds until they are released', async () => {
    await world.admit(left, world.demand(holding(600n)))
    world.crash(left)
    expect(await world.admit(right, world.demand(holding(500n)))).toEqual({ reason: 'balance' })
    expect(await right.sharedLimits.releaseNode('left')).toBe(1)
    expect(await world.admit(right, world.demand(holding(500n)))).toBeNull()
  })

  test('that was released while alive reports its holds again', async () => {
    await world.admit(left, world.demand(holding(600n)))
    await right.sharedLimits.releaseNode('left')
    await seconds(5)
    expect(world.hub.account('acc').money.heldNano).toBe(600n)
  })
})

describe('many unstored costs', () => {
  const settleMany = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const demand = world.demand({ keyId: `key_${index % 2}`, ...holding(5n) })
      expect(await world.admit(left, demand)).toBeNull()
      world.settle(demand.requestId, 3n)
    }
    await world.time.advance(10)
  }
  const money = () => world.hub.account('acc').money

  beforeEach(() => begin({ foldAt: 10 }))

  test('are held as one sum per key, so that each call stays short', async () => {
    await settleMany(105)
    expect([money().heldNano, money().heldOn('key_0')]).toEqual([315n, 159n])
    expect(money().holdsOf('left').length).toBeLessThan(10)
    expect(await world.admit(right, world.demand(holding(686n)))).toEqual({ reason: 'balance' })
    expect(await world.admit(right, world.demand(holding(685n)))).toBeNull()
  })

  test('are released when they are stored, in any portions', async () => {
    await settleMany(105)
    const [first, ...rest] = [left.journal.slice(0, 40), left.journal.slice(40)]
    for (const portion of [first ?? [], ...rest]) {
      left.journal = portion
      world.write(left)
      await world.note(left)
      await seconds(2)
      expect(money().balanceNano - money().heldNano).toBe(1_000n - 315n)
    }
    expect([money().balanceNano, money().holdsOf('left')]).toEqual([685n, []])
  })

  test('stay held as sums when the limits store is emptied and when the node stops', async () => {
    await settleMany(105)
    world.empty()
    await seconds(2)
    expect(money().heldNano).toBe(315n)
    await left.admissions.stop()
    expect(money().heldNano).toBe(315n)
  })
})

test('a node that starts while the limits store is away is ready once it is back, without any request', async () => {
  const late = await world.addNode('late', 'lost')
  expect(late.admissions.isShared).toBe(false)
  await world.heal()
  expect([late.admissions.isShared, late.admissions.isStarting]).toEqual([true, false])
})
