import fc from 'fast-check'
import type { UsageLimit } from '../../../vocabulary/api-key.ts'
import { ErrorsInFlight } from './errors-in-flight.ts'
import type { Fault } from './faulty-limits.ts'
import { settleAll } from './manual-time.ts'
import { type TestNode, World, type WorldOptions } from './shared-world.ts'

export const ACCOUNTS: readonly string[] = ['acc_1', 'acc_2']
export const KEYS: readonly string[] = ['key_1', 'key_2']
export const CREDIT_LINE_NANO = 50n
/** Of the first key of each account. */
export const KEY_LIMIT: UsageLimit = { period: 'daily', amountNano: 400n }
export const WINDOW_LIMIT = 12
const FIRST_BALANCE_NANO = 500n

export type Command =
  | { type: 'admit'; node: number; account: number; key: number; amount: number; leastPercent: number }
  | { type: 'grow'; pick: number; by: number }
  | { type: 'settle'; pick: number; percent: number; error: number; isCounted: boolean }
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

type Commands = readonly fc.Arbitrary<Command>[]

const node = fc.nat({ max: 2 })
const account = fc.nat({ max: 1 })

/** Requests. A cost may exceed its hold by up to `maxError`, as when a prompt was longer than estimated. */
export function traffic(maxError: number): Commands {
  return [
    fc.record({
      type: fc.constant('admit'),
      node,
      account,
      key: fc.nat({ max: 1 }),
      amount: fc.nat({ max: 200 }),
      // All of it, or what there is.
      leastPercent: fc.constantFrom(100, 10),
    }),
    fc.record({ type: fc.constant('grow'), pick: fc.nat({ max: 30 }), by: fc.integer({ min: 1, max: 80 }) }),
    fc.record({
      type: fc.constant('settle'),
      pick: fc.nat({ max: 30 }),
      percent: fc.oneof(fc.nat({ max: 100 }), fc.constant(100)),
      error: fc.nat({ max: maxError }),
      // Otherwise it is written first, and may even be stored by the time it counts.
      isCounted: fc.boolean(),
    }),
  ]
}

/** What happens besides requests while nothing fails. */
export const PEACE: Commands = [
  fc.record({ type: fc.constant('count') }),
  fc.record({ type: fc.constant('write'), node }),
  fc.record({ type: fc.constant('note'), node }),
  fc.record({ type: fc.constant('pay'), node, account, amount: fc.nat({ max: 200 }) }),
  fc.record({ type: fc.constant('advance'), ms: fc.constantFrom(1, 5, 60, 5_000, 61_000) }),
  fc.record({ type: fc.constant('beat') }),
  fc.record({ type: fc.constant('fault'), node, fault: fc.constantFrom<Fault>('none', 'slow') }),
]

/** Lost calls and answers, an emptied limits store, a database that is away, and nodes that die. */
export const TROUBLE: Commands = [
  fc.record({
    type: fc.constant('fault'),
    node,
    fault: fc.constantFrom<Fault>('none', 'lost', 'lost-after', 'silent', 'slow'),
  }),
  fc.record({ type: fc.constant('empty') }),
  fc.record({ type: fc.constant('database'), isAway: fc.boolean(), answerMs: fc.constantFrom(0, 3, 30) }),
  fc.record({ type: fc.constant('replace'), node }),
]

export interface HistoryOptions extends WorldOptions {
  readonly nodes?: 1 | 3
}

/** Carries out what happens, without waiting for any answer: they come as they come. */
export class RandomHistory {
  readonly world: World
  readonly errors: ErrorsInFlight
  /** When requests were asked for that were let in, by account. */
  readonly admittedAtMs = new Map(ACCOUNTS.map((accountId) => [accountId, [] as number[]]))
  readonly #size: number
  readonly #waiting: Promise<unknown>[] = []
  #uncounted: (() => void)[] = []
  #nodes: TestNode[] = []
  #births = 0

  constructor({ nodes = 3, ...options }: HistoryOptions = {}) {
    this.world = new World({ ...options, onCarried: (name) => this.errors.noteCall(name) })
    this.errors = new ErrorsInFlight(this.world, ACCOUNTS)
    this.#size = nodes
  }

  async begin(): Promise<void> {
    for (const accountId of ACCOUNTS) this.world.storage.move(accountId, FIRST_BALANCE_NANO)
    for (let count = 0; count < this.#size; count += 1) this.#nodes.push(await this.#birth())
  }

  /** Every fault ends, every settlement is stored, and there is time to tell everybody. */
  async finish(): Promise<void> {
    await this.#recover()
    for (const accountId of ACCOUNTS) await this.#spendOnce(accountId)
    await this.#store()
  }

  /** Every fault ends, and so does every request. */
  async end(): Promise<void> {
    await this.#recover()
    for (const { demand, heldNano } of [...this.world.open.values()])
      this.world.settle(demand.requestId, heldNano)
    await this.#store(6)
  }

  async #recover(): Promise<void> {
    this.#count()
    await this.world.heal(11)
    await Promise.all(this.#waiting)
  }

  async step(command: Command): Promise<void> {
    this.#act(command)
    await settleAll()
    if (command.type === 'advance') await this.world.time.advance(command.ms)
    if (command.type === 'replace') await this.#replace(command.node)
  }

  async #store(seconds?: number): Promise<void> {
    for (const one of this.#nodes) this.world.write(one)
    await Promise.all(this.#nodes.map((one) => this.world.note(one)))
    await this.world.heal(seconds)
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
      case 'settle':
        this.#settle(command)
        return
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

  #settle({ pick, percent, error, isCounted }: Extract<Command, { type: 'settle' }>): void {
    const picked = this.#pick(pick)
    if (picked === undefined) return
    const { node: served, demand, heldNano } = picked
    const costNano = (heldNano * BigInt(percent)) / 100n + BigInt(error)
    this.errors.add({ ...demand, nodeId: served.id, costNano, errorNano: costNano - heldNano })
    this.#uncounted.push(this.world.end(demand.requestId, costNano))
    if (isCounted) this.#count()
  }

  #count(): void {
    for (const count of this.#uncounted) count()
    this.#uncounted = []
  }

  #pick(place: number) {
    const open = [...this.world.open.values()]
    return open[place % Math.max(1, open.length)]
  }

  async #admit(command: Extract<Command, { type: 'admit' }>): Promise<void> {
    const accountId = ACCOUNTS[command.account] ?? ''
    const amountNano = BigInt(command.amount)
    const leastNano = (amountNano * BigInt(command.leastPercent)) / 100n
    const demand = this.world.demand({
      accountId,
      keyId: `${accountId}:${KEYS[command.key] ?? ''}`,
      windows: [{ id: `account:${accountId}:requests`, metric: 'requests', limit: WINDOW_LIMIT, amount: 1 }],
      hold: {
        amountNano,
        ...(leastNano === amountNano ? {} : { leastNano }),
        creditLineNano: CREDIT_LINE_NANO,
        usageLimit: command.key === 0 ? KEY_LIMIT : null,
      },
    })
    const askedAtMs = this.world.time.nowMs()
    const asked = this.#node(command.node)
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
    const decision = await this.world.admit(this.#node(0), demand)
    if (decision !== null) throw new Error(`A free request was refused: ${decision.reason}`)
    this.world.settle(demand.requestId, 1n)
  }

  async #birth(): Promise<TestNode> {
    this.#births += 1
    const started = this.world.addNode(`node_${this.#births}`)
    await this.world.time.advance(400)
    return started
  }

  #node(index: number): TestNode {
    const found = this.#nodes[index % this.#size]
    if (found === undefined) throw new Error(`there is no node ${index}`)
    return found
  }
}
