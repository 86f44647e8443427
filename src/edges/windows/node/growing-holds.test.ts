import { beforeEach, describe, expect, test } from 'bun:test'
import { settleAll } from '../testing/manual-time.ts'
import { type TestNode, World, type WorldOptions } from '../testing/shared-world.ts'

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

const money = () => world.hub.account('acc').money
const limited = (limitNano: bigint) => ({ period: 'daily' as const, amountNano: limitNano })

/** Admits a request on the left node and gives its id. */
async function open(amountNano: bigint, hold: Parameters<World['demand']>[0] = {}): Promise<string> {
  const demand = world.demand({ hold: { amountNano, ...hold.hold } })
  expect(await world.admit(left, demand)).toBeNull()
  return demand.requestId
}

async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) await world.beat()
}

describe('a partial hold', () => {
  const part = { amountNano: 5_000n, leastNano: 100n }

  test('takes what all nodes have left', async () => {
    await open(700n)
    expect(await world.admit(right, world.demand({ hold: part }))).toEqual({
      reason: 'partial-hold',
      heldNano: 300n,
    })
    expect(money().heldNano).toBe(1_000n)
    expect(await world.admit(left, world.demand({ hold: part }))).toEqual({ reason: 'balance' })
  })

  test('is settled and reported as what is held', async () => {
    const demand = world.demand({ hold: { ...part, usageLimit: limited(250n) } })
    expect(await world.admit(left, demand)).toEqual({ reason: 'partial-hold', heldNano: 250n })
    expect(left.admissions.keyMoney('key', 'daily').heldNano).toBe(250n)
    world.empty()
    await seconds(1)
    expect(money().heldNano).toBe(250n)
    world.settle(demand.requestId, 240n)
    world.write(left)
    await world.note(left)
    await seconds(5)
    expect([money().heldNano, left.admissions.balanceNano('acc')]).toEqual([0n, 760n])
  })
})

describe('a growth', () => {
  test('is one call, and counts on all nodes', async () => {
    const id = await open(600n)
    left.sharedLimits.calls.length = 0
    expect(await world.grow(id, 900n)).toBe(true)
    expect(left.sharedLimits.calls).toEqual(['grow'])
    expect([money().heldNano, left.admissions.keyMoney('key', 'daily').heldNano]).toEqual([900n, 900n])
    expect(await world.admit(right, world.demand({ hold: { amountNano: 101n } }))).toEqual({
      reason: 'balance',
    })
  })

  test('that has no room leaves the hold as it was', async () => {
    const id = await open(600n, { hold: { usageLimit: limited(800n) } })
    expect(await world.grow(id, 801n)).toBe(false)
    expect(await world.grow(id, 800n)).toBe(true)
    const other = await open(200n)
    expect(await world.grow(other, 201n)).toBe(false)
    expect(money().heldNano).toBe(1_000n)
  })

  test('to less than is held changes nothing', async () => {
    const id = await open(600n)
    left.sharedLimits.calls.length = 0
    expect(await world.grow(id, 500n)).toBe(true)
    expect(left.sharedLimits.calls).toEqual([])
  })

  test('of a request that is unknown or settled is refused', async () => {
    const id = await open(600n)
    world.settle(id, 10n)
    const growth = { requestId: id, accountId: 'acc', keyId: 'key', amountNano: 700n }
    const bounds = { creditLineNano: null, usageLimit: null }
    expect(await left.admissions.grow({ ...growth, ...bounds })).toBe(false)
    expect(await right.admissions.grow({ ...growth, ...bounds })).toBe(false)
  })

  test('of a request that ends meanwhile leaves only the cost', async () => {
    const id = await open(600n)
    left.sharedLimits.fault = 'slow'
    const growing = world.grow(id, 900n)
    world.settle(id, 50n)
    await world.time.advance(100)
    expect(await growing).toBe(false)
    expect(money().heldNano).toBe(50n)
  })

  test('is asked again when holds were reported meanwhile', async () => {
    const id = await open(600n)
    left.sharedLimits.fault = 'slow'
    // Reports after 7 ms, while the answer to the growth is under way: the store gets the hold as it was.
    const reporting = left.admissions.reassert()
    await world.time.advance(6)
    const growing = world.grow(id, 900n)
    await world.time.advance(200)
    expect(await growing).toBe(true)
    await reporting
    expect(left.sharedLimits.calls.filter((name) => name === 'grow')).toHaveLength(2)
    expect(money().heldNano).toBe(900n)
  })

  test('has its hold first when another node has released it', async () => {
    const id = await open(600n)
    await right.sharedLimits.releaseNode('left')
    expect(await world.grow(id, 900n)).toBe(true)
    expect(money().heldNano).toBe(900n)
  })

  test('waits until an emptied limits store has all holds', async () => {
    const id = await open(600n)
    await world.admit(right, world.demand({ hold: { amountNano: 300n } }))
    world.empty()
    const growing = world.grow(id, 701n)
    await world.time.advance(50)
    expect(await growing).toBe(false)
    expect(await world.grow(id, 700n)).toBe(true)
    expect(money().heldNano).toBe(1_000n)
  })

  test('is reported to an emptied limits store', async () => {
    const id = await open(600n)
    await world.grow(id, 900n)
    world.empty()
    await seconds(1)
    expect(money().heldNano).toBe(900n)
  })
})

describe('a growth whose answer is lost', () => {
  test('is refused under policy refuse, and the limits store agrees afterwards', async () => {
    const id = await open(600n)
    left.sharedLimits.fault = 'lost-after'
    expect(await world.grow(id, 900n)).toBe(false)
    expect(money().heldNano).toBe(900n)
    left.sharedLimits.fault = 'none'
    await seconds(1)
    expect(money().heldNano).toBe(600n)
    expect(await world.grow(id, 1_000n)).toBe(true)
    expect(money().heldNano).toBe(1_000n)
  })

  test('is decided by the share of the node under policy local, and holds once', async () => {
    await begin({ loss: 'local' })
    await world.beat()
    const id = await open(100n)
    left.sharedLimits.fault = 'lost-after'
    // Half of what there is, as there are two nodes.
    expect(await world.grow(id, 501n)).toBe(false)
    expect(await world.grow(id, 500n)).toBe(true)
    expect(left.admissions.keyMoney('key', 'daily').heldNano).toBe(500n)
    left.sharedLimits.fault = 'none'
    await settleAll()
    await seconds(1)
    expect(money().heldNano).toBe(500n)
  })
})
