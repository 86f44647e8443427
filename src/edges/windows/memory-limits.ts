import { dayOf } from '../../rules/ledger/period.ts'
import type { WindowDemand } from '../../serve/ports/admissions.ts'
import type {
  AccountUpdate,
  AdmitAnswer,
  AdmitCall,
  CapacityAnswer,
  ConversationPin,
  GrowAnswer,
  GrowCall,
  OpenHold,
  SharedLimits,
  SharedNote,
  SharedNotice,
  WindowState,
} from '../../serve/ports/shared-limits.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { ExpiringMap, SharedAccount, SharedWindows } from './memory/account.ts'
import type { SharedMoney } from './memory/money.ts'

// Expired state is swept now and then, so that memory follows traffic.
const SWEEP_EVERY_CALLS = 10_000

/** The state of a limits store in the memory of one process. */
export class LimitsHub {
  readonly #clock: Clock
  readonly #nodeLimits = new Set<MemoryLimits>()
  readonly #accounts = new Map<string, SharedAccount>()
  readonly supplyWindows = new SharedWindows()
  readonly kept = new ExpiringMap<SharedNotice>()
  readonly joined = new Map<string, Set<string>>()
  generation: string | null = null
  configurationVersion: number | null = null
  #callsUntilSweep = SWEEP_EVERY_CALLS

  constructor(clock: Clock) {
    this.#clock = clock
  }

  limitsForNode(nodeId: string): MemoryLimits {
    const sharedLimits = new MemoryLimits(this, nodeId)
    this.#nodeLimits.add(sharedLimits)
    return sharedLimits
  }

  leave(sharedLimits: MemoryLimits): void {
    this.#nodeLimits.delete(sharedLimits)
  }

  notifyOthers(sender: MemoryLimits, notice: SharedNotice): void {
    for (const sharedLimits of this.#nodeLimits) if (sharedLimits !== sender) sharedLimits.receive(notice)
  }

  /** Every call reads the time once, which also triggers the sweep. */
  nowMs(): number {
    const nowMs = this.#clock.nowMs()
    this.#callsUntilSweep -= 1
    if (this.#callsUntilSweep === 0) this.#sweep(nowMs)
    return nowMs
  }

  account(accountId: string): SharedAccount {
    const known = this.#accounts.get(accountId)
    if (known !== undefined) return known
    const created = new SharedAccount()
    this.#accounts.set(accountId, created)
    return created
  }

  windows(accountId: string | null): SharedWindows {
    return accountId === null ? this.supplyWindows : this.account(accountId).windows
  }

  accounts(): Iterable<SharedAccount> {
    return this.#accounts.values()
  }

  #sweep(nowMs: number): void {
    this.#callsUntilSweep = SWEEP_EVERY_CALLS
    this.supplyWindows.sweep(nowMs)
    this.kept.sweep(nowMs)
    for (const account of this.#accounts.values()) account.sweep(nowMs)
  }
}

/** The limits store of nodes on one machine. Calls run synchronously, so each is atomic. */
export class MemoryLimits implements SharedLimits {
  readonly #hub: LimitsHub
  readonly #nodeId: string
  readonly #noticeListeners = new Set<(notice: SharedNotice) => void>()

  constructor(hub: LimitsHub, nodeId: string) {
    this.#hub = hub
    this.#nodeId = nodeId
  }

  async admit(call: AdmitCall): Promise<AdmitAnswer> {
    const { money, windows, pins } = this.#hub.account(call.accountId)
    const unanswerable = this.#unanswerable(call, money)
    if (unanswerable !== null) return unanswerable
    const nowMs = this.#hub.nowMs()
    const { requestId, keyId, hold } = call
    const ownNano = money.heldBy(this.#nodeId, requestId) ?? 0n
    const decision =
      windows.refusalOf(call.windows, nowMs) ?? money.decide(keyId, hold, { ownNano, today: dayOf(nowMs) })
    if (decision !== null && decision.reason !== 'partial-hold') {
      return { type: 'refused', refusal: decision, windows: windows.look(call.windows, nowMs) }
    }
    const heldNano = decision?.heldNano ?? null
    windows.take(call.windows, nowMs)
    money.place(this.#nodeId, { requestId, keyId, amountNano: heldNano ?? hold.amountNano })
    return {
      type: 'admitted',
      heldNano,
      windows: windows.look(call.windows, nowMs),
      pin: call.conversation === null ? null : pins.get(call.conversation, nowMs),
    }
  }

  #unanswerable(call: AdmitCall, money: SharedMoney): AdmitAnswer | null {
    const { configurationVersion } = this.#hub
    const missing = this.#missing(call.generation, money, call.hold.usageLimit === null ? null : call.keyId)
    if (missing !== 'generation' && (configurationVersion ?? 0) > call.configurationVersion) {
      return { type: 'behind', version: configurationVersion ?? 0 }
    }
    return missing === null ? null : { type: 'unknown', missing }
  }

  #missing(
    generation: string,
    money: SharedMoney,
    limitedKeyId: string | null,
  ): 'generation' | 'account' | 'key' | null {
    if (generation !== this.#hub.generation) return 'generation'
    if (money.loadedIn !== generation) return 'account'
    return limitedKeyId !== null && !money.knowsKey(limitedKeyId) ? 'key' : null
  }

  async grow({ generation, ...growth }: GrowCall): Promise<GrowAnswer> {
    const { money } = this.#hub.account(growth.accountId)
    const { requestId, keyId, amountNano } = growth
    const missing = this.#missing(generation, money, growth.usageLimit === null ? null : keyId)
    if (missing !== null) return { type: 'unknown', missing }
    const ownNano = money.heldBy(this.#nodeId, requestId)
    if (ownNano === null) return { type: 'unknown', missing: 'hold' }
    if (amountNano <= ownNano) return 'grown'
    const today = dayOf(this.#hub.nowMs())
    if (money.decide(keyId, growth, { ownNano, today }) !== null) return 'refused'
    money.place(this.#nodeId, { requestId, keyId, amountNano })
    return 'grown'
  }

  async takeCapacity(
    accountId: string | null,
    options: readonly (readonly WindowDemand[])[],
  ): Promise<CapacityAnswer> {
    const nowMs = this.#hub.nowMs()
    const windows = this.#hub.windows(accountId)
    const retryAfterSeconds: number[] = []
    for (const [option, demands] of options.entries()) {
      const refusal = windows.refusalOf(demands, nowMs)
      if (refusal === null) {
        windows.take(demands, nowMs)
        return { type: 'taken', option }
      }
      retryAfterSeconds.push(refusal.retryAfterSeconds)
    }
    return { type: 'refused', retryAfterSeconds }
  }

  async look(accountId: string | null, windows: readonly WindowDemand[]): Promise<readonly WindowState[]> {
    return this.#hub.windows(accountId).look(windows, this.#hub.nowMs())
  }

  async settle(accountId: string, settled: readonly OpenHold[]): Promise<void> {
    this.#hub.account(accountId).money.settle(this.#nodeId, settled)
  }

  async learn(accountId: string, update: AccountUpdate): Promise<void> {
    if (update.generation !== this.#hub.generation) return
    const { money } = this.#hub.account(accountId)
    money.learn(this.#nodeId, update, dayOf(this.#hub.nowMs()))
    if (update.isLoad) money.loadedIn = update.generation
  }

  async assertHolds(accountId: string, holds: readonly OpenHold[], unsure: readonly string[]): Promise<void> {
    this.#hub.account(accountId).money.assert(this.#nodeId, holds, unsure)
  }

  async addHolds(accountId: string, holds: readonly OpenHold[]): Promise<void> {
    const { money } = this.#hub.account(accountId)
    for (const hold of holds) money.place(this.#nodeId, hold)
  }

  async releaseNode(nodeId: string): Promise<number> {
    let released = 0
    for (const { money } of this.#hub.accounts()) released += money.release(nodeId)
    return released
  }

  async generation(): Promise<string | null> {
    return this.#hub.generation
  }

  async beginGeneration(proposed: string): Promise<string> {
    this.#hub.generation ??= proposed
    return this.#hub.generation
  }

  async joinGeneration(generation: string): Promise<void> {
    const joined = this.#hub.joined.get(generation)
    if (joined === undefined) this.#hub.joined.set(generation, new Set([this.#nodeId]))
    else joined.add(this.#nodeId)
  }

  async listJoined(generation: string): Promise<readonly string[]> {
    return [...(this.#hub.joined.get(generation) ?? [])]
  }

  async configurationVersion(): Promise<number | null> {
    return this.#hub.configurationVersion
  }

  async announceConfiguration(version: number): Promise<void> {
    this.#hub.configurationVersion = Math.max(version, this.#hub.configurationVersion ?? version)
  }

  async savePin({
    accountId,
    conversation,
    keptMs,
    supplierId,
    credentialId,
  }: ConversationPin): Promise<void> {
    const { pins } = this.#hub.account(accountId)
    pins.set(conversation, { supplierId, credentialId }, this.#hub.nowMs() + keptMs)
  }

  async saveNote({ accountId, name, text, keptMs }: SharedNote): Promise<void> {
    this.#hub.account(accountId).notes.set(name, text, this.#hub.nowMs() + keptMs)
  }

  async findNotes(accountId: string, names: readonly string[]): Promise<readonly (string | null)[]> {
    const nowMs = this.#hub.nowMs()
    const { notes } = this.#hub.account(accountId)
    return names.map((name) => notes.get(name, nowMs))
  }

  async publish(notice: SharedNotice, keptMs?: number): Promise<void> {
    if (keptMs !== undefined) this.#hub.kept.set(JSON.stringify(notice), notice, this.#hub.nowMs() + keptMs)
    this.#hub.notifyOthers(this, notice)
  }

  async listKept(): Promise<readonly SharedNotice[]> {
    return this.#hub.kept.list(this.#hub.nowMs())
  }

  onNotice(listener: (notice: SharedNotice) => void): () => void {
    this.#noticeListeners.add(listener)
    return () => this.#noticeListeners.delete(listener)
  }

  receive(notice: SharedNotice): void {
    // Asynchronous, as with Redis: listeners must not affect what the sender does next.
    for (const listener of this.#noticeListeners) queueMicrotask(() => listener(notice))
  }

  /** Connected from the start, and never lost. */
  onConnected(listener: () => void): () => void {
    let isWanted = true
    queueMicrotask(() => isWanted && listener())
    return () => {
      isWanted = false
    }
  }

  async close(): Promise<void> {
    this.#noticeListeners.clear()
    this.#hub.leave(this)
  }
}
