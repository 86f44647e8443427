import { dayOf } from '../../rules/ledger/period.ts'
import type {
  Admissions,
  CallerIds,
  Choice,
  Decision,
  Demand,
  KeyMoney,
  MoneyOwners,
  WindowDemand,
  WindowReading,
} from '../../serve/ports/admissions.ts'
import type { StoredBalance } from '../../serve/ports/shared-books.ts'
import type { SharedNotice } from '../../serve/ports/shared-limits.ts'
import type { UsageLimit, UsagePeriod } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { AdmissionDecider, CapacityDecider, READ_PATIENCE_MS } from './shared/deciders.ts'
import { isDoneWithin } from './shared/limits-circuit.ts'
import { buildNodeParts, type NodeParts, type SharedAdmissionsOptions } from './shared/node-parts.ts'

// How old what is known of a key's spending may be when its caller asks for it.
const FRESH_MS = 1_000
const HEAL_EVERY_BEATS = 5

/** One node's side of limits, holds and balances that several nodes share. */
export class SharedAdmissions implements Admissions {
  readonly #parts: NodeParts
  readonly #admitting: AdmissionDecider
  readonly #capacity: CapacityDecider
  readonly #ends: (() => void)[] = []
  #beats = 0
  #beating: Promise<void> | null = null
  #isStopped = false

  constructor(options: SharedAdmissionsOptions) {
    this.#parts = buildNodeParts(options)
    this.#admitting = new AdmissionDecider(this.#parts)
    this.#capacity = new CapacityDecider(this.#parts)
  }

  /** Joins the others. A limits store that does not answer does not keep a node from starting. */
  async start(): Promise<void> {
    const { sharedLimits } = this.#parts
    this.#ends.push(sharedLimits.onNotice((notice) => this.#hear(notice)))
    this.#ends.push(sharedLimits.onConnected(() => void this.#reconnect()))
    await this.#countNodes()
    if (!(await this.#join())) return
    // Begun now rather than by the first request. A node that cannot join must not keep this one from starting.
    const { generation, deadlineMs, timers } = this.#parts
    await isDoneWithin(generation.complete(), deadlineMs, timers)
  }

  /** Called about once a second. Never fails. */
  beat(): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = null
    })
    return this.#beating
  }

  /** Tells the limits store anew what this node holds, which others may have taken for dead. */
  reassert(): Promise<void> {
    return this.#reconnect()
  }

  /** Whether limits are judged at the limits store, and not by this node's share. */
  get isShared(): boolean {
    return this.#parts.circuit.isClosed
  }

  /** Identifies the limits this node shares right now; null while it cannot reach them. */
  get sharedLimitsId(): string | null {
    return this.isShared ? this.#parts.generation.joined : null
  }

  /** Whether requests are still refused because not every node has reported its holds since this one started. */
  get isStarting(): boolean {
    return this.isShared && !this.#parts.generation.hasCompleted
  }

  admit(demand: Demand): Promise<Decision> {
    const message = this.#parts.refusal?.() ?? null
    if (message !== null) return Promise.resolve({ reason: 'unavailable', message })
    return this.#admitting.admit(demand)
  }

  settle(requestId: string, amountNano: NanoUsdt, endedAtMs: number): void {
    const { entries, settleQueue, healer } = this.#parts
    const entry = entries.get(requestId)
    if (entry?.state !== 'open') return
    entries.settle(entry, amountNano, dayOf(endedAtMs))
    settleQueue.add(entry)
    if (entries.hasBacklog(entry.accountId)) healer.fold(entry.accountId)
  }

  /** The database has these; `balances` are those that storing them has moved. Never fails. */
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

  /** Never fails: what cannot be brought up to date stays as it is known. */
  async catchUp({ accountId, keyId }: CallerIds, windows: readonly WindowDemand[]): Promise<void> {
    await Promise.all([this.#look(accountId, windows), this.#refreshTotals(keyId)])
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

  /** What was credited is stored already, so the stored balance says it all. */
  async credit(accountId: string): Promise<void> {
    const { reader, sender, circuit, staleAccounts, onTrouble } = this.#parts
    try {
      const balance = (await reader.readBalances([accountId])).get(accountId) ?? null
      if (circuit.isClosed) await sender.tell({ accountId, balance, keys: [], entries: [], unknownIds: [] })
      else staleAccounts.add(accountId)
    } catch (error) {
      staleAccounts.add(accountId)
      onTrouble(error)
    }
  }

  /** Fails when the database does. */
  async refresh({ accountIds = [], keyIds = [] }: MoneyOwners): Promise<void> {
    const { reader } = this.#parts
    await Promise.all([reader.readBalances(accountIds), reader.readTotals(keyIds)])
  }

  /**
   * No request is under way any more. Costs that are not stored stay held until the lease of this node is over. Gives
   * whether there were none.
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
    const { circuit, healer, staleAccounts } = this.#parts
    this.#beats += 1
    await this.#countNodes()
    if (!circuit.isClosed) return this.#refreshShares()
    if (!(await this.#join())) return
    try {
      if (this.#beats % HEAL_EVERY_BEATS === 0) await healer.healEverything()
      else if (staleAccounts.size > 0) await healer.healStale()
    } catch {
      // The circuit knows, and everything is healed when the limits store answers again.
    }
  }

  /** Whether this node is in the generation of the limits store. */
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

  #hear(notice: SharedNotice): void {
    if (notice.type === 'generation') void this.#adopt(notice.generation)
  }

  async #adopt(announced: string): Promise<void> {
    const { circuit, generation } = this.#parts
    // A joining that is under way may have begun before there was this one.
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

  /** While this node judges by itself, other nodes spend from the same balances. */
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
      // The circuit knows.
    }
  }

  async #refreshTotals(keyId: string): Promise<void> {
    const { needsTotals, views, reader, clock, timers } = this.#parts
    if (!needsTotals(keyId) || clock.nowMs() - views.key(keyId).readAtMs < FRESH_MS) return
    await isDoneWithin(reader.readTotals([keyId]), READ_PATIENCE_MS, timers)
  }
}
