import type {
  ConversationPin,
  ParentLink,
  PinnedTo,
  SharedNote,
  SharedNotice,
} from '../../serve/ports/shared-limits.ts'
import type { Clock } from '../../vocabulary/clock.ts'

/** Windows, holds and balances, as far as a hub has to do with them. */
export interface HubStore {
  beginGeneration(generation: string): void
  announceConfiguration(version: number): void
  /** Releases all holds of a node that is gone and returns how many there were. */
  releaseNode(nodeNumber: number): Promise<number>
}

// Expired state is swept now and then, so that memory follows traffic.
const SWEEP_EVERY_CALLS = 10_000

/** What nodes of one machine tell each other, in the memory of their parent. */
export class LimitsHub {
  readonly #clock: Clock
  readonly #store: HubStore
  readonly #members = new Set<HubMember>()
  readonly #numbers = new Map<string, number>()
  readonly #conversations = new Map<string, Conversations>()
  readonly kept = new ExpiringMap<SharedNotice>()
  readonly #joined = new Map<string, Set<string>>()
  #awaited: ReadonlySet<string> = new Set()
  #generation: string | null = null
  configurationVersion: number | null = null
  #callsUntilSweep = SWEEP_EVERY_CALLS

  constructor(clock: Clock, store: HubStore) {
    this.#clock = clock
    this.#store = store
  }

  get generation(): string | null {
    return this.#generation
  }

  member(nodeId: string): HubMember {
    const member = new HubMember(this, nodeId)
    this.#members.add(member)
    return member
  }

  leave(member: HubMember): void {
    this.#members.delete(member)
  }

  notifyOthers(sender: HubMember, notice: SharedNotice): void {
    for (const member of this.#members) if (member !== sender) member.receive(notice)
  }

  /** Every call reads the time once, which also triggers the sweep. */
  nowMs(): number {
    const nowMs = this.#clock.nowMs()
    this.#callsUntilSweep -= 1
    if (this.#callsUntilSweep === 0) this.#sweep(nowMs)
    return nowMs
  }

  /** The same for every connection of a node. The first is 1. */
  numberOf(nodeId: string): number {
    const known = this.#numbers.get(nodeId)
    if (known !== undefined) return known
    const number = this.#numbers.size + 1
    this.#numbers.set(nodeId, number)
    return number
  }

  async releaseNode(nodeId: string): Promise<number> {
    const number = this.#numbers.get(nodeId)
    return number === undefined ? 0 : this.#store.releaseNode(number)
  }

  beginGeneration(proposed: string): string {
    if (this.#generation === null) {
      this.#generation = proposed
      this.#store.beginGeneration(proposed)
    }
    return this.#generation
  }

  /** The store has lost everything. Before it is used again, all connected nodes report their holds. */
  endGeneration(): void {
    const joined = this.#joined.get(this.#generation ?? '') ?? new Set()
    // One that is about to join has holds already.
    const connected = new Set([...this.#members].map(({ nodeId }) => nodeId))
    this.#awaited = this.#awaited.union(joined).union(connected)
    this.#generation = null
  }

  joinGeneration(generation: string, nodeId: string): void {
    const joined = this.#joined.get(generation)
    if (joined === undefined) this.#joined.set(generation, new Set([nodeId]))
    else joined.add(nodeId)
  }

  listJoined(generation: string): readonly string[] {
    return [...(this.#joined.get(generation) ?? [])]
  }

  listAwaited(): readonly string[] {
    return [...this.#members].map(({ nodeId }) => nodeId).filter((nodeId) => this.#awaited.has(nodeId))
  }

  announceConfiguration(version: number): void {
    this.configurationVersion = Math.max(version, this.configurationVersion ?? version)
    this.#store.announceConfiguration(this.configurationVersion)
  }

  conversations(accountId: string): Conversations {
    const known = this.#conversations.get(accountId)
    if (known !== undefined) return known
    const created = { pins: new ExpiringMap<PinnedTo>(), notes: new ExpiringMap<string>() }
    this.#conversations.set(accountId, created)
    return created
  }

  #sweep(nowMs: number): void {
    this.#callsUntilSweep = SWEEP_EVERY_CALLS
    this.kept.sweep(nowMs)
    for (const [accountId, { pins, notes }] of this.#conversations) {
      pins.sweep(nowMs)
      notes.sweep(nowMs)
      if (pins.size + notes.size === 0) this.#conversations.delete(accountId)
    }
  }
}

/** What later turns of an account's conversations need. */
interface Conversations {
  readonly pins: ExpiringMap<PinnedTo>
  readonly notes: ExpiringMap<string>
}

/** A hub, as one node sees it. */
export class HubMember implements ParentLink {
  readonly #hub: LimitsHub
  readonly nodeId: string
  readonly #noticeListeners = new Set<(notice: SharedNotice) => void>()

  constructor(hub: LimitsHub, nodeId: string) {
    this.#hub = hub
    this.nodeId = nodeId
  }

  async nodeNumber(): Promise<number> {
    return this.#hub.numberOf(this.nodeId)
  }

  releaseNode(nodeId: string): Promise<number> {
    return this.#hub.releaseNode(nodeId)
  }

  async generation(): Promise<string | null> {
    return this.#hub.generation
  }

  async beginGeneration(proposed: string): Promise<string> {
    return this.#hub.beginGeneration(proposed)
  }

  async joinGeneration(generation: string): Promise<void> {
    this.#hub.joinGeneration(generation, this.nodeId)
  }

  async listJoined(generation: string): Promise<readonly string[]> {
    return this.#hub.listJoined(generation)
  }

  async listAwaited(): Promise<readonly string[] | null> {
    return this.#hub.listAwaited()
  }

  async configurationVersion(): Promise<number | null> {
    return this.#hub.configurationVersion
  }

  async announceConfiguration(version: number): Promise<void> {
    this.#hub.announceConfiguration(version)
  }

  async savePin({
    accountId,
    conversation,
    keptMs,
    supplierId,
    credentialId,
  }: ConversationPin): Promise<void> {
    const { pins } = this.#hub.conversations(accountId)
    pins.set(conversation, { supplierId, credentialId }, this.#hub.nowMs() + keptMs)
  }

  async findPin(accountId: string, conversation: string): Promise<PinnedTo | null> {
    return this.#hub.conversations(accountId).pins.get(conversation, this.#hub.nowMs())
  }

  async saveNote({ accountId, name, text, keptMs }: SharedNote): Promise<void> {
    this.#hub.conversations(accountId).notes.set(name, text, this.#hub.nowMs() + keptMs)
  }

  async findNotes(accountId: string, names: readonly string[]): Promise<readonly (string | null)[]> {
    const nowMs = this.#hub.nowMs()
    const { notes } = this.#hub.conversations(accountId)
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

/** Values that expire one by one. */
class ExpiringMap<Value> {
  readonly #values = new Map<string, { readonly value: Value; readonly endsAtMs: number }>()

  get size(): number {
    return this.#values.size
  }

  set(name: string, value: Value, endsAtMs: number): void {
    this.#values.set(name, { value, endsAtMs })
  }

  get(name: string, nowMs: number): Value | null {
    const kept = this.#values.get(name)
    return kept === undefined || kept.endsAtMs <= nowMs ? null : kept.value
  }

  list(nowMs: number): Value[] {
    return [...this.#values.values()].filter(({ endsAtMs }) => endsAtMs > nowMs).map(({ value }) => value)
  }

  sweep(nowMs: number): void {
    for (const [name, { endsAtMs }] of this.#values) if (endsAtMs <= nowMs) this.#values.delete(name)
  }
}
