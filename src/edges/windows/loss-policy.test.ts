import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { HoldDecision, WindowDemand } from '../../serve/ports/admissions.ts'
import { settleAll } from './testing/manual-time.ts'
import { type TestNode, World, type WorldOptions } from './testing/shared-world.ts'

let world: World
let left: TestNode
let right: TestNode

async function begin(options: WorldOptions): Promise<void> {
  world = new World(options)
  world.storage.move('acc', 1_000n)
  left = await world.addNode('left')
  right = await world.addNode('right')
  await world.beat()
}

const requests = (limit: number, id = 'account:acc:requests'): WindowDemand => ({
  id,
  metric: 'requests',
  limit,
  amount: 1,
})
const holding = (amountNano: bigint, creditLineNano: bigint | null = 0n) => ({
  hold: { amountNano, creditLineNano },
})

function lose(): void {
  for (const { sharedLimits } of world.nodes.values()) sharedLimits.fault = 'lost'
}

/** The limits store answers again, and every node has had time to notice. */
async function find(): Promise<void> {
  for (const { sharedLimits } of world.nodes.values()) sharedLimits.fault = 'none'
  await settleAll()
}

async function admitUntilRefused(node: TestNode, fields: Parameters<World['demand']>[0]): Promise<number> {
  for (let admitted = 0; admitted < 1_000; admitted += 1) {
    if ((await world.admit(node, world.demand(fields))) !== null) return admitted
  }
  return Number.POSITIVE_INFINITY
}

/** Asks for as long as an admission waits for an emptied limits store. */
async function askWaiting(node: TestNode, amountNano: bigint): Promise<HoldDecision> {
  const decided = world.admit(node, world.demand(holding(amountNano)))
  await world.time.advance(60)
  return decided
}

async function spendAlone(node: TestNode, amountNano: bigint): Promise<void> {
  const demand = world.demand(holding(amountNano))
  const decided = world.admit(node, demand)
  await world.time.advance(60)
  expect(await decided).toBeNull()
  world.settle(demand.requestId, amountNano)
  world.write(node)
  await world.note(node)
}

describe('loss policy refuse', () => {
  beforeEach(() => begin({ loss: 'refuse' }))

  test('only requests under way wait for the limits store', async () => {
    await world.admit(left, world.demand(holding(1n)))
    left.sharedLimits.fault = 'silent'
    const first = world.admit(left, world.demand(holding(1n)))
    await world.time.advance(50)
    expect(await first).toMatchObject({ reason: 'unavailable' })
    left.sharedLimits.calls.length = 0
    expect(await world.admit(left, world.demand(holding(1n)))).toMatchObject({ reason: 'unavailable' })
    expect(await left.admissions.takeCapacity([requests(1, 'credential:a:requests')])).toMatchObject({
      reason: 'unavailable',
    })
    expect(await left.admissions.takeFirst([[requests(1, 'credential:a:requests')]])).toEqual({
      taken: null,
      retryAfterSeconds: [1],
    })
    expect(left.sharedLimits.calls).toEqual([])
    expect(left.admissions.isShared).toBe(false)
  })

  test('probes with growing delays, and at once after a reconnect', async () => {
    left.sharedLimits.fault = 'lost'
    await world.admit(left, world.demand())
    left.sharedLimits.calls.length = 0
    const probes: number[] = []
    for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 250) {
      await world.time.advance(250)
      if (left.sharedLimits.calls.splice(0).includes('generation')) probes.push(waitedMs + 250)
    }
    expect(probes).toEqual([250, 750, 1_750, 3_750, 5_750, 7_750, 9_750])
    await find()
    expect(left.admissions.isShared).toBe(true)
    expect(await world.admit(left, world.demand(holding(1_000n)))).toBeNull()
  })

  test('releases a hold whose admission was never answered', async () => {
    await world.admit(left, world.demand(holding(1n)))
    left.sharedLimits.fault = 'lost-after'
    expect(await world.admit(left, world.demand(holding(900n)))).toMatchObject({ reason: 'unavailable' })
    expect(world.hub.account('acc').money.heldNano).toBe(901n)
    await find()
    expect(world.hub.account('acc').money.heldNano).toBe(1n)
  })

  test('undoes a call that runs after it timed out', async () => {
    await world.admit(left, world.demand(holding(1n)))
    left.sharedLimits.fault = 'silent'
    const given = world.admit(left, world.demand(holding(900n)))
    await world.time.advance(50)
    expect(await given).toMatchObject({ reason: 'unavailable' })
    await find()
    expect(world.hub.account('acc').money.heldNano).toBe(901n)
    await world.beat()
    expect(world.hub.account('acc').money.heldNano).toBe(1n)
  })
})

describe('loss policy local', () => {
  beforeEach(() => begin({ loss: 'local' }))

  test('divides a window among the nodes', async () => {
    lose()
    const windows = [requests(9)]
    expect(await admitUntilRefused(left, { windows })).toBe(5)
    expect(await admitUntilRefused(right, { windows })).toBe(5)
    expect(left.admissions.read(windows)).toEqual([
      { metric: 'requests', limit: 9, remaining: 0, resetSeconds: 60 },
    ])
    expect(await world.admit(left, world.demand({ windows }))).toMatchObject({ retryAfterSeconds: 60 })
    await world.time.advance(60_000)
    expect(await admitUntilRefused(left, { windows })).toBe(5)
  })

  test('divides what was left of an open window', async () => {
    const windows = [requests(10)]
    await world.admit(left, world.demand({ windows }))
    await world.time.advance(20_000)
    for (let spent = 0; spent < 3; spent += 1) await world.admit(right, world.demand({ windows }))
    lose()
    expect(await admitUntilRefused(right, { windows })).toBe(3)
    expect(await admitUntilRefused(left, { windows })).toBe(5)
    expect(await world.admit(right, world.demand({ windows }))).toMatchObject({ retryAfterSeconds: 40 })
  })

  test('divides the balance and keeps counting stored costs', async () => {
    lose()
    expect(await world.admit(left, world.demand(holding(501n)))).toEqual({ reason: 'balance' })
    const demand = world.demand(holding(500n))
    expect(await world.admit(left, demand)).toBeNull()
    world.settle(demand.requestId, 400n)
    expect(await world.admit(left, world.demand(holding(101n)))).toEqual({ reason: 'balance' })
    world.write(left)
    await world.note(left)
    expect(left.admissions.balanceNano('acc')).toBe(600n)
    expect(await world.admit(left, world.demand(holding(101n)))).toEqual({ reason: 'balance' })
    expect(await world.admit(left, world.demand(holding(100n)))).toBeNull()
    expect(await world.admit(right, world.demand(holding(301n)))).toEqual({ reason: 'balance' })
    expect(await world.admit(right, world.demand(holding(300n)))).toBeNull()
  })

  test('counts a payment at the next beat', async () => {
    lose()
    expect(await admitUntilRefused(left, holding(500n))).toBe(1)
    world.storage.move('acc', 1_000n)
    await world.beat()
    expect(await admitUntilRefused(left, holding(500n))).toBe(1)
  })

  test('divides a spending limit', async () => {
    lose()
    const limited = (amountNano: bigint) => ({
      hold: { amountNano, usageLimit: { period: 'daily' as const, amountNano: 100n } },
    })
    expect(await world.admit(left, world.demand(limited(51n)))).toEqual({ reason: 'key-spending-limit' })
    expect(await admitUntilRefused(left, limited(50n))).toBe(1)
    expect(await admitUntilRefused(right, limited(50n))).toBe(1)
  })

  test('keeps unlimited accounts unlimited', async () => {
    world.storage.isAway = true
    lose()
    expect(await world.admit(left, world.demand(holding(1_000_000n, null)))).toBeNull()
    expect(await world.admit(left, world.demand({ accountId: 'new', ...holding(0n) }))).toBeNull()
  })

  test('uses the last known balance while the database is down, and refuses unknown accounts', async () => {
    await world.admit(left, world.demand(holding(100n)))
    lose()
    world.storage.isAway = true
    await world.beat()
    expect(await world.admit(left, world.demand(holding(401n)))).toEqual({ reason: 'balance' })
    expect(await world.admit(left, world.demand(holding(400n)))).toBeNull()
    expect(await world.admit(right, world.demand(holding(1n)))).toMatchObject({ reason: 'unavailable' })
  })

  test('divides capacity', async () => {
    const windows = [requests(4, 'credential:a:requests')]
    await left.admissions.takeCapacity(windows)
    lose()
    // Of the three that are left, as far as this node knows.
    expect(await left.admissions.takeFirst([windows])).toEqual({ taken: 0 })
    expect(await left.admissions.takeCapacity(windows)).toBeNull()
    expect(await left.admissions.takeFirst([windows])).toEqual({ taken: null, retryAfterSeconds: [60] })
  })

  test('reports everything to the limits store before using it again', async () => {
    const windows = [requests(10)]
    await world.admit(left, world.demand({ windows, ...holding(100n) }))
    lose()
    for (const node of [left, right]) await world.admit(node, world.demand({ windows, ...holding(200n) }))
    await left.admissions.takeCapacity([requests(3, 'credential:a:requests')])
    await find()
    const { money, windows: sharedWindows } = world.hub.account('acc')
    expect(money.heldNano).toBe(500n)
    expect(sharedWindows.look(windows, world.time.nowMs())).toMatchObject([{ spent: 3 }])
    expect(
      world.hub.supplyWindows.look([requests(3, 'credential:a:requests')], world.time.nowMs()),
    ).toMatchObject([{ spent: 1 }])
    expect(await admitUntilRefused(right, { windows })).toBe(7)
  })

  test('reports requests admitted during recovery', async () => {
    await world.admit(left, world.demand(holding(10n)))
    lose()
    await world.admit(left, world.demand(holding(20n)))
    world.storage.answerMs = 10
    await find()
    expect(left.admissions.isShared).toBe(false)
    expect(await world.admit(left, world.demand(holding(40n)))).toBeNull()
    await world.time.advance(10)
    expect(left.admissions.isShared).toBe(true)
    expect(world.hub.account('acc').money.heldNano).toBe(70n)
  })

  test('a node that is cut off exceeds a balance by at most its share', async () => {
    for (const node of [left, right]) await world.admit(node, world.demand(holding(0n)))
    left.sharedLimits.fault = 'lost'
    expect(await admitUntilRefused(left, holding(100n))).toBe(5)
    expect(await admitUntilRefused(right, holding(100n))).toBe(10)
    await find()
    expect(await admitUntilRefused(left, holding(1n))).toBe(0)
    for (const { demand } of [...world.open.values()]) world.settle(demand.requestId, demand.hold.amountNano)
    for (const node of [left, right]) world.write(node)
    expect(world.storage.balance('acc').balanceNano).toBe(-500n)
  })

  test('reports requests admitted while an emptied store waits for a node', async () => {
    for (const node of [left, right]) await world.admit(node, world.demand(holding(1n)))
    right.sharedLimits.fault = 'silent'
    world.empty()
    const alone = world.admit(left, world.demand(holding(400n)))
    await world.time.advance(60)
    expect(await alone).toBeNull()
    expect(left.admissions.isShared).toBe(true)
    right.sharedLimits.fault = 'none'
    await right.admissions.beat()
    await world.time.advance(500)
    for (const node of [left, right]) {
      expect(await world.admit(node, world.demand(holding(599n)))).toEqual({ reason: 'balance' })
    }
    expect(await world.admit(left, world.demand(holding(598n)))).toBeNull()
  })

  test('keeps counting costs stored while an emptied store waits for a node', async () => {
    const third = await world.addNode('third')
    await world.beat()
    for (const node of [left, right]) await world.admit(node, world.demand(holding(1n)))
    loseBy('emptied', third)
    await spendAlone(left, 300n)
    expect(await askWaiting(left, 33n)).toEqual({ reason: 'balance' })
    expect(await askWaiting(right, 232n)).toBeNull()
    third.sharedLimits.fault = 'none'
    await world.beat()
    // Judged at the limits store, and what is lost later is a new loss.
    expect(await askWaiting(left, 466n)).toBeNull()
    expect(world.hub.account('acc').money).toMatchObject({ balanceNano: 700n, heldNano: 700n })
  })

  test('reports requests that were decided alone until after the store is back', async () => {
    await world.admit(left, world.demand(holding(1n)))
    await world.time.advance(4_000)
    left.sharedLimits.fault = 'lost'
    world.storage.answerMs = 30
    const alone = world.admit(left, world.demand(holding(400n)))
    await settleAll()
    world.storage.answerMs = 0
    await find()
    expect(left.admissions.isShared).toBe(true)
    await world.time.advance(30)
    expect(await alone).toBeNull()
    expect(await world.admit(left, world.demand(holding(600n)))).toEqual({ reason: 'balance' })
    expect(await world.admit(right, world.demand(holding(599n)))).toBeNull()
  })
})

type Step =
  | { readonly type: 'admit'; readonly node: number; readonly amount: number }
  | { readonly type: 'settle'; readonly pick: number; readonly percent: number }
  | { readonly type: 'store'; readonly node: number }
  | { readonly type: 'beat' }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('admit'),
    node: fc.nat({ max: 2 }),
    amount: fc.integer({ min: 1, max: 300 }),
  }),
  fc.record({ type: fc.constant('settle'), pick: fc.nat({ max: 20 }), percent: fc.nat({ max: 100 }) }),
  fc.record({ type: fc.constant('store'), node: fc.nat({ max: 2 }) }),
  fc.record({ type: fc.constant('beat') }),
)

const losses = fc.constantFrom<Loss>('lost', 'emptied')

/** Every way to lose the limits store: it does not answer, or it is empty and waits for a node that does not tell its holds. */
type Loss = 'lost' | 'emptied'

function loseBy(loss: Loss, silent: TestNode): void {
  if (loss === 'lost') lose()
  else {
    silent.sharedLimits.fault = 'silent'
    world.empty()
  }
}

/** Gives how many were let in by it. */
async function carryOut(one: Step, nodes: readonly TestNode[]): Promise<number> {
  switch (one.type) {
    case 'admit': {
      const demand = world.demand({ windows: [requests(10)], ...holding(BigInt(one.amount)) })
      const decided = world.admit(nodes[one.node] ?? left, demand)
      // As long as an admission waits for an emptied limits store.
      await world.time.advance(60)
      return (await decided) === null ? 1 : 0
    }
    case 'settle': {
      const open = [...world.open.values()]
      const picked = open[one.pick % Math.max(1, open.length)]?.demand
      if (picked !== undefined) {
        world.settle(picked.requestId, (picked.hold.amountNano * BigInt(one.percent)) / 100n)
      }
      return 0
    }
    case 'store':
      world.write(nodes[one.node] ?? left)
      await world.note(nodes[one.node] ?? left)
      return 0
    case 'beat':
      await world.beat()
      return 0
  }
}

test('shares never add up to more than what is left, whatever is settled and stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), losses, async (steps, loss) => {
      await begin({ loss: 'local' })
      const third = await world.addNode('third')
      const nodes = [left, right, third]
      await world.beat()
      loseBy(loss, third)
      let admitted = 0
      for (const one of steps) {
        admitted += await carryOut(one, nodes)
        const owedNano = world.obligationsNano(() => true)
        expect(world.storage.balance('acc').balanceNano).toBeGreaterThanOrEqual(owedNano)
      }
      // Three nodes with a third of ten each, rounded up, in each of the minutes that have begun.
      const seconds = steps.reduce((sum, { type }) => sum + (type === 'beat' ? 1 : 0.06), 0)
      const minutes = 1 + Math.ceil(seconds / 60)
      expect(admitted).toBeLessThanOrEqual(12 * minutes)
    }),
    { numRuns: 60 },
  )
}, 300_000)
