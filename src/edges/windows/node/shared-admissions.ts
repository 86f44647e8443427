import { dayOf } from '../../../rules/ledger/period.ts'
import type {
  Admissions,
  CallerIds,
  Choice,
  Decision,
  Demand,
  Growth,
  HoldDecision,
  KeyMoney,
  MoneyOwners,
  OpenHolds,
  WindowDemand,
  WindowReading,
} from '../../../serve/ports/admissions.ts'
import type { SharedNotice } from '../../../serve/ports/shared-limits.ts'
import type { StoredBalance } from '../../../serve/ports/shared-storage.ts'
import type { UsageLimit, UsagePeriod } from '../../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import { AdmissionDecider, CapacityDecider } from './deciders.ts'
import { GrowthDecider } from './growth-decider.ts'
import { isDoneWithin } from './limits-circuit.ts'
import { MoneyKnowledge, READ_PATIENCE_MS } from './money-knowledge.ts'
import { buildNodeParts, type NodeParts, type SharedAdmissionsOptions } from './node-parts.ts'

// How old the known spending of a key may be when its caller asks for it.
const FRESH_MS = 1_000
const HEAL_EVERY_BEATS = 5

/** Admissions of one node that shares limits, holds and balances with others. */
export class SharedAdmissions implements Admissions {
  readonly #parts: NodeParts
  readonly #admitting: AdmissionDecider
  readonly #growing: GrowthDecider
  readonly #capacity: CapacityDecider
  readonly #ends: (() => void)[] = []
  #beats = 0
  #beating: Promise<void> | null = null
  #isStopped = false

  constructor(options: SharedAdmissionsOptions) {
    this.#parts = buildNodeParts(options)
    const knowledge = new MoneyKnowledge(this.#parts)
    this.#admitting = new AdmissionDecider(this.#parts, knowledge)
    this.#growing = new GrowthDecider(this.#parts, knowledge)
    this.#capacity = new CapacityDecider(this.#parts)
  }

  /** Joins the other nodes. The node starts even if the limits store does not answer. */
  async start(): Promise<void> {
    const { sharedLimits } = this.#parts
    this.#ends.push(sharedLimits.onNotice((notice) => this.#receive(notice)))
    this.#ends.push(sharedLimits.onConnected(() => void this.#reconnect()))
    await this.#countNodes()
    if (!(await this.#join())) return
    // Started here so that the first request need not. A node that cannot join must not delay this start.
    const { generation, deadlineMs, timers } = this.#parts
    await isDoneWithin(generation.complete(), deadlineMs, timers)
  }

  /** Call about once a second. Never rejects. */
  beat(): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = null
    })
    return this.#beating
  }

  /** Reports all holds again after other nodes may have taken this one for dead. */
  reassert(): Promise<void> {
    return this.#reconnect()
  }

  /** Whether the limits store decides, as opposed to this node's share. */
  get isShared(): boolean {
    return this.#parts.circuit.isClosed
  }

  /** Identifies the limits this node shares right now; null while it cannot reach them. */
  get sharedLimitsId(): string | null {
    return this.isShared ? this.#parts.generation.joined : null
  }

  /** Whether requests are refused because not every node has reported its holds since this one started. */
  get isStarting(): boolean {
    return this.isShared && !this.#parts.generation.hasCompleted
  }

  admit(demand: Demand): MaybePromise<HoldDecision> {
    const message = this.#parts.refusal?.() ?? null
    if (message !== null) return { reason: 'unavailable', message }
    return this.#admitting.admit(demand)
  }

  grow(growth: Growth): Promise<boolean> {
    // A node that must refuse every request cannot know whether there is room.
    if ((this.#parts.refusal?.() ?? null) !== null) return Promise.resolve(false)
    return this.#growing.grow(growth)
  }

  settle(requestId: string, amountNano: NanoUsdt, endedAtMs: number): void {
    const { entries, settleQueue, healer } = this.#parts
    const entry = entries.get(requestId)
    if (entry?.state !== 'open') return
    entries.settle(entry, amountNano, dayOf(endedAtMs))
    settleQueue.add(entry)
    if (entries.hasBacklog(entry.accountId)) healer.fold(entry.accountId)
  }

  /** Call when settlements are stored; `balances` are those that changed. Never rejects. */
  noteStored(settlements: readonly Settlement[], balances: readonly StoredBalance[]): Promise<void> {
    return this.#parts.storedSettlements.note(settlements, balances)
  }

  takeCapacity(windows: readonly WindowDemand[], accountId?: string): Promise<Decision> {
    return this.#capacity.take(windows, accountId ?? null)
  }

  takeFirst(options: readonly (readonly WindowDemand[])[]): Promise<Choice> {
    return this.#capacity.takeFirst(options)
  }

  read(windows: readonly WindowDemand[]): readonly WindowReading[] {
    const { circuit, windowView, shares, clock } = this.#parts
    const nowMs = clock.nowMs()
    const isShared = circuit.isClosed
    return windows.map(
      (window) => (isShared ? null : shares.windows.read(window, nowMs)) ?? windowView.read(window, nowMs),
    )
  }

  /** Never rejects: what cannot be refreshed stays as it is. */
  async catchUp({ accountId, keyId }: CallerIds, windows: readonly WindowDemand[]): Promise<void> {
    await Promise.all([this.#look(accountId, windows), this.#refreshTotals(keyId)])
  }

  openHolds(): OpenHolds {
    return this.#parts.entries.openHolds()
  }

  hasReachedLimit(keyId: string, limit: UsageLimit): boolean {
    return this.keyMoney(keyId, limit.period).spentNano >= limit.amountNano
  }

  keyMoney(keyId: string, period: UsagePeriod): KeyMoney {
    return this.#parts.views.keyMoney(keyId, period, dayOf(this.#parts.clock.nowMs()))
  }

  balanceNano(accountId: string): NanoUsdt {
    return this.#parts.views.balanceNano(accountId)
  }

  knowsBalance(accountId: string): boolean {
    return this.#parts.views.knowsBalance(accountId)
  }

  /** The credit is already stored, so reading the balance is enough. */
  async credit(accountId: string): Promise<void> {
    const { reader, sender, circuit, staleAccounts, onTrouble } = this.#parts
    try {
      const balance = (await reader.readBalances([accountId])).get(accountId) ?? null
      if (circuit.isClosed) await sender.send({ accountId, balance, keys: [], entries: [], unknownIds: [] })
      else staleAccounts.add(accountId)
    } catch (error) {
      staleAccounts.add(accountId)
      onTrouble(error)
    }
  }

  /** Rejects when the database fails. */
  async refresh({ accountIds = [], keyIds = [] }: MoneyOwners): Promise<void> {
    const { reader } = this.#parts
    await Promise.all([reader.readBalances(accountIds), reader.readTotals(keyIds)])
  }

  /**
   * Call when no request is under way. Unstored costs stay held until the lease of this node ends. Returns whether there
   * were none.
   */
  async stop(): Promise<boolean> {
    const { sharedLimits, nodeId, entries, circuit, settleQueue, onTrouble } = this.#parts
    this.#isStopped = true
    for (const end of this.#ends) end()
    circuit.stop()
    settleQueue.stop()
    await this.#beating
    const costs = entries.costsByAccount()
    try {
      if (costs.size === 0) await sharedLimits.releaseNode(nodeId)
      for (const accountId of costs.size === 0 ? [] : entries.accountIds()) {
        await sharedLimits.assertHolds(accountId, costs.get(accountId) ?? [], [])
      }
      return costs.size === 0
    } catch (error) {
      onTrouble(error)
      return false
    }
  }

  async #beat(): Promise<void> {
    const { circuit, generation, healer, staleAccounts } = this.#parts
    this.#beats += 1
    await this.#countNodes()
    if (!circuit.isClosed) return this.#refreshShares()
    if (!(await this.#join())) return
    // The attempt at the start may have failed. No request makes another one: a balancer sends none to a node that is not
    // ready. Not awaited, because it may take a lease.
    if (!generation.hasCompleted) generation.complete().catch(() => undefined)
    try {
      if (this.#beats % HEAL_EVERY_BEATS === 0) await healer.healEverything()
      else if (staleAccounts.size > 0) await healer.healStale()
    } catch {
      // The circuit has opened; everything is healed when the limits store answers again.
    }
  }

  /** Returns whether this node has joined the generation of the limits store. */
  async #join(): Promise<boolean> {
    const { circuit, generation } = this.#parts
    try {
      await circuit.watch(generation.join())
      return true
    } catch {
      return false
    }
  }

  async #reconnect(): Promise<void> {
    const { circuit, healer } = this.#parts
    if (!circuit.isClosed) return circuit.probeNow()
    if (await this.#join()) await healer.healEverything().catch(() => undefined)
  }

  #receive(notice: SharedNotice): void {
    if (notice.type === 'generation') void this.#adopt(notice.generation)
  }

  async #adopt(announced: string): Promise<void> {
    const { circuit, generation } = this.#parts
    // A join that is under way may have started before this generation.
    for (let tries = 0; tries < 2 && circuit.isClosed && !generation.hasJoined(announced); tries += 1) {
      await this.#join()
    }
  }

  async #countNodes(): Promise<void> {
    const { listLivingNodes, nodeId, shares, onTrouble } = this.#parts
    try {
      const living = await listLivingNodes()
      shares.nodes = living.includes(nodeId) ? living.length : living.length + 1
    } catch (error) {
      onTrouble(error)
    }
  }

  /** While this node decides on its own, other nodes spend from the same balances. */
  async #refreshShares(): Promise<void> {
    const { entries, staleAccounts, loss, onTrouble } = this.#parts
    if (loss === 'refuse') return
    const accountIds = entries.accountIds()
    for (const accountId of staleAccounts.accountIds()) accountIds.add(accountId)
    try {
      await this.refresh({ accountIds: [...accountIds], keyIds: staleAccounts.keyIds() })
    } catch (error) {
      onTrouble(error)
    }
  }

  async #look(accountId: string, windows: readonly WindowDemand[]): Promise<void> {
    const { circuit, admissionLimits, windowView, clock } = this.#parts
    if (windows.length === 0 || !circuit.isClosed) return
    try {
      const states = await circuit.watch(admissionLimits.look(accountId, windows))
      windowView.remember(windows, states, clock.nowMs())
    } catch {
      // The circuit has opened.
    }
  }

  async #refreshTotals(keyId: string): Promise<void> {
    const { needsTotals, views, reader, clock, timers } = this.#parts
    if (!needsTotals(keyId) || clock.nowMs() - views.key(keyId).readAtMs < FRESH_MS) return
    await isDoneWithin(reader.readTotals([keyId]), READ_PATIENCE_MS, timers)
  }
}
