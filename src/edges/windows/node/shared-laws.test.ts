import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { UsageLimit } from '../../../vocabulary/api-key.ts'
import type { Fault } from '../testing/faulty-limits.ts'
import { settleAll } from '../testing/manual-time.ts'
import { type TestNode, World } from '../testing/shared-world.ts'

const ACCOUNTS = ['acc_1', 'acc_2']
const KEYS = ['key_1', 'key_2']
const CREDIT_LINE_NANO = 50n
const KEY_LIMIT: UsageLimit = { period: 'daily', amountNano: 400n }
const WINDOW_LIMIT = 12

type Command =
  | { type: 'admit'; node: number; account: number; key: number; amount: number; leastPercent: number }
  | { type: 'grow'; pick: number; by: number }
  | { type: 'settle'; pick: number; percent: number; isCounted: boolean }
  | { type: 'count' }
  | { type: 'write'; node: number }
  | { type: 'note'; node: number }
  | { type: 'pay'; node: number; account: number; amount: number }
  | { type: 'advance'; ms: number }
  | { type: 'beat' }
  | { type: 'fault'; node: number; fault: Fault }
  | { type: 'empty' }
  | { type: 'database'; isAway: boolean; answerMs: number }
  | { type: 'replace'; node: number }

const node = fc.nat({ max: 2 })
const account = fc.nat({ max: 1 })
const traffic: fc.Arbitrary<Command>[] = [
  fc.record({
    type: fc.constant('admit'),
    node,
    account,
    key: fc.nat({ max: 1 }),
    amount: fc.nat({ max: 200 }),
    leastPercent: fc.constantFrom(10, 100),
  }),
  fc.record({ type: fc.constant('grow'), pick: fc.nat({ max: 30 }), by: fc.integer({ min: 1, max: 80 }) }),
  fc.record({
    type: fc.constant('settle'),
    pick: fc.nat({ max: 30 }),
    percent: fc.nat({ max: 100 }),
    // Otherwise it is written first, and may even be stored by the time it counts.
    isCounted: fc.boolean(),
  }),
]
const peaceful: fc.Arbitrary<Command>[] = [
  ...traffic,
  fc.record({ type: fc.constant('count') }),
  fc.record({ type: fc.constant('write'), node }),
  fc.record({ type: fc.constant('note'), node }),
  fc.record({ type: fc.constant('pay'), node, account, amount: fc.nat({ max: 200 }) }),
  fc.record({ type: fc.constant('advance'), ms: fc.constantFrom(1, 5, 60, 5_000, 61_000) }),
  fc.record({ type: fc.constant('beat') }),
  fc.record({ type: fc.constant('fault'), node, fault: fc.constantFrom<Fault>('none', 'slow') }),
]
const troubled: fc.Arbitrary<Command>[] = [
  ...peaceful,
  fc.record({
    type: fc.constant('fault'),
    node,
    fault: fc.constantFrom<Fault>('none', 'lost', 'lost-after', 'silent', 'slow'),
  }),
  fc.record({ type: fc.constant('empty') }),
  fc.record({ type: fc.constant('database'), isAway: fc.boolean(), answerMs: fc.constantFrom(0, 3, 30) }),
  fc.record({ type: fc.constant('replace'), node }),
]

/** How costs that wait for the database are reported: one by one, some of them as a sum, or all as a sum. */
const foldings = fc.constantFrom(1_000, 3, 1)

/** Carries out what happens, without waiting for any answer: they come as they come. */
class Run {
  readonly world: World
  /** When requests were asked for that were let in, by account. */
  readonly admittedAtMs = new Map(ACCOUNTS.map((accountId) => [accountId, [] as number[]]))
  readonly #waiting: Promise<unknown>[] = []
  #uncounted: (() => void)[] = []
  #nodes: TestNode[] = []
  #births = 0

  constructor(world: World) {
    this.world = world
  }

  async begin(): Promise<void> {
    for (const accountId of ACCOUNTS) this.world.storage.move(accountId, 500n)
    for (let count = 0; count < 3; count += 1) this.#nodes.push(await this.#birth())
  }

  async finish(): Promise<void> {
    this.#count()
    await this.world.heal()
    await Promise.all(this.#waiting)
    for (const accountId of ACCOUNTS) await this.#spendOnce(accountId)
    for (const one of this.#nodes) this.world.write(one)
    await Promise.all(this.#nodes.map((one) => this.world.note(one)))
    await this.world.heal()
  }

  async step(command: Command): Promise<void> {
    this.#act(command)
    await settleAll()
    if (command.type === 'advance') await this.world.time.advance(command.ms)
    if (command.type === 'replace') await this.#replace(command.node)
  }

  #act(command: Command): void {
    const { world } = this
    switch (command.type) {
      case 'admit':
        this.#waiting.push(this.#admit(command))
        return
      case 'grow': {
        const picked = this.#pick(command.pick)
        if (picked === undefined) return
        const amountNano = picked.heldNano + BigInt(command.by)
        this.#waiting.push(world.grow(picked.demand.requestId, amountNano))
        return
      }
      case 'settle': {
        const picked = this.#pick(command.pick)
        if (picked === undefined) return
        const costNano = (picked.heldNano * BigInt(command.percent)) / 100n
        this.#uncounted.push(world.end(picked.demand.requestId, costNano))
        if (command.isCounted) this.#count()
        return
      }
      case 'count':
        this.#count()
        return
      case 'write':
        if (!world.storage.isAway) world.write(this.#node(command.node))
        return
      case 'note':
        this.#waiting.push(world.note(this.#node(command.node)))
        return
      case 'pay': {
        if (world.storage.isAway) return
        const accountId = ACCOUNTS[command.account] ?? ''
        world.storage.move(accountId, BigInt(command.amount))
        this.#waiting.push(this.#node(command.node).admissions.credit(accountId))
        return
      }
      case 'beat':
        for (const { admissions } of this.#nodes) this.#waiting.push(admissions.beat())
        return
      case 'fault':
        this.#node(command.node).sharedLimits.fault = command.fault
        return
      case 'empty':
        world.empty()
        return
      case 'database':
        world.storage.isAway = command.isAway
        world.storage.answerMs = command.answerMs
        return
      case 'advance':
      case 'replace':
    }
  }

  #count(): void {
    for (const count of this.#uncounted) count()
    this.#uncounted = []
  }

  #pick(place: number) {
    const open = [...this.world.open.values()]
    return open[place % Math.max(1, open.length)]
  }

  async #admit({
    node,
    account,
    key,
    amount,
    leastPercent,
  }: Extract<Command, { type: 'admit' }>): Promise<void> {
    const accountId = ACCOUNTS[account] ?? ''
    const demand = this.world.demand({
      accountId,
      keyId: `${accountId}:${KEYS[key] ?? ''}`,
      windows: [{ id: `account:${accountId}:requests`, metric: 'requests', limit: WINDOW_LIMIT, amount: 1 }],
      hold: {
        amountNano: BigInt(amount),
        ...(leastPercent === 100 ? {} : { leastNano: (BigInt(amount) * BigInt(leastPercent)) / 100n }),
        creditLineNano: CREDIT_LINE_NANO,
        usageLimit: key === 0 ? KEY_LIMIT : null,
      },
    })
    const askedAtMs = this.world.time.nowMs()
    const asked = this.#node(node)
    const decision = await this.world.admit(asked, demand)
    if (decision !== null && decision.reason !== 'partial-hold') return
    this.admittedAtMs.get(accountId)?.push(askedAtMs)
    // Its process died before it was answered, so no caller waits for it.
    if (!this.world.nodes.has(asked.id)) this.world.open.delete(demand.requestId)
  }

  /**
   * A process dies, and another one takes its place. The dead one's journal is stored before anything else
   * happens: a cost that is only in a journal counts nowhere while its process is dead and the limits store is empty.
   */
  async #replace(index: number): Promise<void> {
    const { world } = this
    if (world.storage.isAway) return
    const dead = this.#node(index)
    const left = [...dead.written.flatMap(({ settlements }) => settlements), ...dead.journal]
    const balances = world.storage.write(left)
    world.crash(dead)
    dead.sharedLimits.fault = 'lost'
    void dead.admissions.stop()
    const heir = await this.#birth()
    this.#nodes = this.#nodes.map((one) => (one === dead ? heir : one))
    heir.written.push({ settlements: left, balances })
    this.#waiting.push(heir.sharedLimits.releaseNode(dead.id))
  }

  /** A payment whose node died before announcing it reaches all nodes with the next stored cost. */
  async #spendOnce(accountId: string): Promise<void> {
    const demand = this.world.demand({
      accountId,
      keyId: `${accountId}:last`,
      hold: { creditLineNano: null },
    })
    expect(await this.world.admit(this.#node(0), demand)).toBeNull()
    this.world.settle(demand.requestId, 1n)
  }

  async #birth(): Promise<TestNode> {
    this.#births += 1
    const started = this.world.addNode(`node_${this.#births}`)
    await this.world.time.advance(400)
    return started
  }

  #node(index: number): TestNode {
    const found = this.#nodes[index]
    if (found === undefined) throw new Error(`there is no node ${index}`)
    return found
  }
}

function expectNoOverdraft({ world }: Run): void {
  for (const accountId of ACCOUNTS) {
    const owedNano = world.obligationsNano((owner) => owner.accountId === accountId)
    expect(world.storage.balance(accountId).balanceNano + CREDIT_LINE_NANO).toBeGreaterThanOrEqual(owedNano)
    const keyId = `${accountId}:${KEYS[0]}`
    const heldNano = world.obligationsNano((owner) => owner.keyId === keyId)
    const today = Math.floor(world.time.nowMs() / 86_400_000)
    const spentNano = world.storage.totals(keyId, today).totals.daily.spentNano
    expect(spentNano + heldNano).toBeLessThanOrEqual(KEY_LIMIT.amountNano)
  }
}

function expectInStep({ world }: Run): void {
  for (const accountId of ACCOUNTS) {
    const { money } = world.hub.account(accountId)
    const heldNano = world.obligationsNano((owner) => owner.accountId === accountId)
    expect(money.heldNano).toBe(heldNano)
    // Before it is loaded nothing is judged by what is known, so it need not be the newest.
    const isLoaded = money.loadedIn !== null && money.loadedIn === world.hub.generation
    if (isLoaded) expect(money.balanceNano).toBe(world.storage.balance(accountId).balanceNano)
    for (const key of KEYS) {
      const keyId = `${accountId}:${key}`
      expect(money.heldOn(keyId)).toBe(world.obligationsNano((owner) => owner.keyId === keyId))
      const totals = money.totalsOf(keyId)
      const stored = world.storage.totals(keyId, Math.floor(world.time.nowMs() / 86_400_000))
      if (isLoaded && money.knowsKey(keyId)) expect(totals?.totals.forever).toEqual(stored.totals.forever)
    }
  }
}

function expectWindowsKept({ world, admittedAtMs }: Run): void {
  for (const accountId of ACCOUNTS) {
    const window = { id: `account:${accountId}:requests`, metric: 'requests', limit: 0, amount: 0 } as const
    const [state] = world.hub.account(accountId).windows.look([window], world.time.nowMs())
    expect(state?.spent ?? 0).toBeLessThanOrEqual(WINDOW_LIMIT)
    // Less than a minute lies in two windows at most.
    const admitted = admittedAtMs.get(accountId) ?? []
    for (const startMs of admitted) {
      const within = admitted.filter((atMs) => atMs >= startMs && atMs < startMs + 59_000)
      expect(within.length).toBeLessThanOrEqual(2 * WINDOW_LIMIT)
    }
  }
}

describe('several nodes in any order', () => {
  test('never exceed a balance, a spending limit or a window', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...peaceful, ...traffic), { maxLength: 80, size: 'max' }),
        foldings,
        async (commands, foldAt) => {
          const run = new Run(new World({ foldAt }))
          await run.begin()
          for (const command of commands) {
            await run.step(command)
            expectNoOverdraft(run)
            expectWindowsKept(run)
          }
          await run.finish()
          expectInStep(run)
        },
      ),
      { numRuns: 60 },
    )
  }, 120_000)

  test('with failures and policy refuse: exceed nothing, and agree afterwards', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...troubled, ...traffic, ...traffic), { maxLength: 80, size: 'max' }),
        foldings,
        async (commands, foldAt) => {
          const run = new Run(new World({ loss: 'refuse', foldAt }))
          await run.begin()
          for (const command of commands) {
            await run.step(command)
            expectNoOverdraft(run)
          }
          await run.finish()
          expectInStep(run)
        },
      ),
      { numRuns: 100 },
    )
  }, 120_000)

  test('with failures and policy local: agree afterwards', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(...troubled, ...traffic, ...traffic), { maxLength: 80, size: 'max' }),
        foldings,
        async (commands, foldAt) => {
          const run = new Run(new World({ loss: 'local', leaseMs: 3_000, foldAt }))
          await run.begin()
          for (const command of commands) await run.step(command)
          await run.finish()
          expectInStep(run)
        },
      ),
      { numRuns: 100 },
    )
  }, 120_000)
})
