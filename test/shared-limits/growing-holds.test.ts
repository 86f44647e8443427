import { afterAll, describe, expect, test } from 'bun:test'
import { findRedis } from '../../scripts/tests/redis.ts'
import type { RedisLimits } from '../../src/edges/redis/redis-limits.ts'
import { SharedAdmissions } from '../../src/edges/windows/node/shared-admissions.ts'
import { settlementOf } from '../../src/edges/windows/testing/shared-world.ts'
import { TinyStorage } from '../../src/edges/windows/testing/tiny-storage.ts'
import type { HoldDecision } from '../../src/serve/ports/admissions.ts'
import { SYSTEM_CLOCK, SYSTEM_TIMERS } from '../../src/vocabulary/clock.ts'
import {
  admitCall,
  GENERATION,
  loadAccount,
  openConnectedLimits,
  uniquePrefix,
} from './support/redis-limits.ts'

const redis = await findRedis()
const opened: RedisLimits[] = []
afterAll(async () => {
  await Promise.all(opened.map((sharedLimits) => sharedLimits.close()))
  await redis?.stop()
})

const NODE_IDS = ['node-1', 'node-2', 'node-3']
const ACCOUNT = 'account-1'
const KEY = 'key-1'
const USDT = 1_000_000_000n

/** Nodes of one Redis and one database. */
class TestGroup {
  readonly storage = new TinyStorage(SYSTEM_TIMERS)
  readonly nodes: SharedAdmissions[] = []
  readonly #prefix = uniquePrefix()

  async start(): Promise<void> {
    for (const nodeId of NODE_IDS) {
      const sharedLimits = await this.openLimits(nodeId)
      const admissions = new SharedAdmissions({
        admissionLimits: sharedLimits,
        sharedLimits,
        nodeId,
        storage: this.storage,
        clock: SYSTEM_CLOCK,
        loss: 'refuse',
        deadlineMs: 20_000,
        leaseMs: 60_000,
        listLivingNodes: async () => NODE_IDS.slice(0, this.nodes.length),
        needsTotals: () => true,
        newGeneration: () => crypto.randomUUID(),
        onPin: () => {},
        onTrouble: (error) => {
          throw error
        },
      })
      this.nodes.push(admissions)
      await admissions.start()
    }
  }

  async openLimits(nodeId: string): Promise<RedisLimits> {
    const sharedLimits = await openConnectedLimits(redis?.url ?? '', { nodeId, prefix: this.#prefix })
    opened.push(sharedLimits)
    return sharedLimits
  }

  node(index: number): SharedAdmissions {
    const found = this.nodes[index % NODE_IDS.length]
    if (found === undefined) throw new Error('no node was started')
    return found
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()))
  }
}

const BOUNDS = { creditLineNano: 0n, usageLimit: null }
const FIRST_NANO = 12_000_000n
const MORE_NANO = 7_654_321n

/** A stream of one node, whose hold grows as it is delivered. */
class Stream {
  readonly #group: TestGroup
  readonly #node: SharedAdmissions
  readonly #ids: { readonly requestId: string; readonly accountId: string; readonly keyId: string }
  heldNano = 0n

  constructor(group: TestGroup, index: number) {
    this.#group = group
    this.#node = group.node(index)
    this.#ids = { requestId: `req_${index}`, accountId: ACCOUNT, keyId: KEY }
  }

  async begin(): Promise<HoldDecision> {
    const hold = { amountNano: FIRST_NANO, leastNano: 1n, ...BOUNDS }
    const demand = { ...this.#ids, configurationVersion: 1, windows: [], conversation: null, hold }
    const decision = await this.#node.admit(demand)
    if (decision === null) this.heldNano = FIRST_NANO
    else if (decision.reason === 'partial-hold') this.heldNano = decision.heldNano
    return decision
  }

  /** Grows for as long as there is room. */
  async deliver(): Promise<void> {
    while (await this.#node.grow({ ...this.#ids, amountNano: this.heldNano + MORE_NANO, ...BOUNDS })) {
      this.heldNano += MORE_NANO
    }
  }

  /** It costs all that it holds. */
  async end(): Promise<void> {
    const settlement = settlementOf(this.#ids, this.heldNano, Date.now())
    const balances = this.#group.storage.write([settlement])
    this.#node.settle(this.#ids.requestId, this.heldNano, Date.now())
    await this.#node.noteStored([settlement], balances)
  }
}

describe.skipIf(redis === null)('holds that grow on three nodes at one Redis', () => {
  test('60 parallel requests on 1 USDT end at zero', async () => {
    const group = new TestGroup()
    group.storage.move(ACCOUNT, USDT)
    await group.start()
    const streams = Array.from({ length: 60 }, (_, index) => new Stream(group, index))
    const decisions = await Promise.all(streams.map((stream) => stream.begin()))
    expect(decisions.filter((decision) => decision === null)).toHaveLength(60)
    await Promise.all(streams.map((stream) => stream.deliver()))
    // Each has grown until the rest was too little for anybody.
    const heldNano = streams.reduce((sum, stream) => sum + stream.heldNano, 0n)
    const restNano = (USDT - 60n * FIRST_NANO) % MORE_NANO
    expect(USDT - heldNano).toBe(restNano)
    await Promise.all(streams.map((stream) => stream.end()))
    expect(group.storage.balance(ACCOUNT).balanceNano).toBe(restNano)
    // Nothing has stayed held, so one of the next can have that rest.
    const late = Array.from({ length: 9 }, (_, index) => new Stream(group, 60 + index))
    const lateDecisions = await Promise.all(late.map((stream) => stream.begin()))
    expect(lateDecisions.filter((decision) => decision?.reason === 'balance')).toHaveLength(8)
    expect(lateDecisions).toContainEqual({ reason: 'partial-hold', heldNano: restNano })
    await late.find((stream) => stream.heldNano > 0n)?.end()
    expect(group.storage.balance(ACCOUNT).balanceNano).toBe(0n)
    await group.stop()
  })
})

describe.skipIf(redis === null)('a growth in Redis', () => {
  const growth = { accountId: ACCOUNT, keyId: KEY, generation: GENERATION, ...BOUNDS }

  test('that is sent again holds once, and one of an ended request holds nothing', async () => {
    const sharedLimits = await openConnectedLimits(redis?.url ?? '')
    opened.push(sharedLimits)
    await loadAccount(sharedLimits, ACCOUNT, 100n)
    await sharedLimits.admit(admitCall({ requestId: 'a', hold: { amountNano: 40n, ...BOUNDS } }))
    const grow = (amountNano: bigint) => sharedLimits.grow({ ...growth, requestId: 'a', amountNano })
    expect([await grow(70n), await grow(70n), await grow(50n)]).toEqual(['grown', 'grown', 'grown'])
    expect([await grow(101n), await grow(100n)]).toEqual(['refused', 'grown'])
    await sharedLimits.settle(ACCOUNT, [{ requestId: 'a', keyId: KEY, amountNano: 10n }])
    const balance = { balanceNano: 90n, version: 2n }
    const stored = { generation: GENERATION, stored: ['a'], balance, keys: [], isLoad: false }
    await sharedLimits.learn(ACCOUNT, stored)
    expect(await grow(20n)).toEqual({ type: 'unknown', missing: 'hold' })
    const part = { amountNano: 500n, leastNano: 1n, ...BOUNDS }
    expect(await sharedLimits.admit(admitCall({ hold: part }))).toMatchObject({
      type: 'admitted',
      heldNano: 90n,
    })
  })

  test('of many nodes at once never takes more than there is', async () => {
    const prefix = uniquePrefix()
    const url = redis?.url ?? ''
    const nodes = await Promise.all(NODE_IDS.map((nodeId) => openConnectedLimits(url, { nodeId, prefix })))
    opened.push(...nodes)
    const total = 2n ** 60n
    await loadAccount(nodes[0] as RedisLimits, ACCOUNT, total)
    const ids = Array.from({ length: 30 }, (_, index) => `req_${index}`)
    const at = (index: number) => nodes[index % nodes.length] as RedisLimits
    const hold = { amountNano: 1n, ...BOUNDS }
    await Promise.all(ids.map((requestId, index) => at(index).admit(admitCall({ requestId, hold }))))
    const step = total / 20n + 1n
    const answers = await Promise.all(
      ids.map((requestId, index) => at(index).grow({ ...growth, requestId, amountNano: step })),
    )
    expect(answers.filter((answer) => answer === 'grown')).toHaveLength(19)
  })
})
