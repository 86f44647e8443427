import { dayOf, endedAtMs } from '../../../rules/ledger/period.ts'
import type { SharedHolds } from '../../../serve/ports/shared-limits.ts'
import type { KeyTotals, StoredBalance } from '../../../serve/ports/shared-storage.ts'
import type { Timers } from '../../../vocabulary/clock.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import type { AccountReader } from './accounts.ts'
import type { LimitsCircuit } from './limits-circuit.ts'
import type { LimitsGeneration } from './limits-generation.ts'
import type { LocalShares } from './local-shares.ts'
import type { Entry, OpenEntries } from './open-entries.ts'
import type { MoneyViews } from './views.ts'

const NONE: ReadonlySet<string> = new Set()

/** Accounts whose state in the limits store may be wrong, with the keys whose totals it may lack. */
export class StaleAccounts {
  readonly #keysOf = new Map<string, Set<string>>()
  /**
   * Healed accounts, which are healed once more: a call that timed out may still sit in a lost connection and be carried
   * out after the one that healed.
   */
  #recentlyHealed = new Set<string>()

  get size(): number {
    return this.#keysOf.size
  }

  add(accountId: string, keyIds: Iterable<string> = []): void {
    const known = this.#keysOf.get(accountId)
    if (known === undefined) this.#keysOf.set(accountId, new Set(keyIds))
    else for (const keyId of keyIds) known.add(keyId)
  }

  accountIds(): string[] {
    return [...this.#keysOf.keys()]
  }

  keyIds(): string[] {
    return [...this.#keysOf.values()].flatMap((keyIds) => [...keyIds])
  }

  /** Removes an account and returns the keys whose totals have to be sent. */
  take(accountId: string): ReadonlySet<string> {
    const keyIds = this.#keysOf.get(accountId)
    if (keyIds === undefined) return NONE
    this.#keysOf.delete(accountId)
    this.#recentlyHealed.add(accountId)
    return keyIds
  }

  takeRecentlyHealed(): ReadonlySet<string> {
    const accountIds = this.#recentlyHealed
    this.#recentlyHealed = new Set()
    return accountIds
  }
}

export interface SenderParts {
  readonly sharedLimits: Pick<SharedHolds, 'learn'>
  readonly circuit: LimitsCircuit
  readonly generation: LimitsGeneration
  readonly entries: OpenEntries
  readonly staleAccounts: StaleAccounts
}

/** The stored state of an account. The balance must include the costs of the entries. */
export interface StoredUpdate {
  readonly accountId: string
  readonly balance: StoredBalance | null
  readonly keys: readonly KeyTotals[]
  /** Requests of this node. */
  readonly entries: readonly Entry[]
  /** Ids of stored requests that this node has no entry for. */
  readonly unknownIds: readonly string[]
}

/** Sends stored balances and totals to the limits store. */
export class UpdateSender {
  readonly #parts: SenderParts

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  /** Forgets the entries once the limits store has received them. Rejects when it fails. */
  async send({ accountId, balance, keys, entries, unknownIds }: StoredUpdate): Promise<void> {
    const { sharedLimits, circuit, staleAccounts } = this.#parts
    // The current generation, whenever the facts were read: the store ignores facts that are out of date.
    const generation = this.#parts.generation.current
    const stored = [...unknownIds]
    for (const entry of entries) {
      entry.state = 'sending'
      stored.push(entry.requestId)
    }
    try {
      await circuit.watch(sharedLimits.learn(accountId, { generation, stored, balance, keys, isLoad: false }))
      for (const entry of entries) this.#parts.entries.forget(entry)
      // Their hold is part of a sum, which is now too high.
      if (entries.some(({ isFolded }) => isFolded)) staleAccounts.add(accountId)
    } catch (error) {
      for (const entry of entries) entry.state = 'stored'
      staleAccounts.add(
        accountId,
        keys.map((totals) => totals.keyId),
      )
      throw error
    }
  }
}

export interface StoredSettlementsParts {
  readonly circuit: LimitsCircuit
  readonly reader: AccountReader
  readonly views: MoneyViews
  readonly entries: OpenEntries
  readonly staleAccounts: StaleAccounts
  readonly sender: UpdateSender
  readonly shares: LocalShares
  readonly needsTotals: (keyId: string) => boolean
  readonly onTrouble: (error: unknown) => void
}

/** The stored settlements of one account. */
interface Batch {
  readonly accountId: string
  readonly entries: Entry[]
  readonly unknownIds: string[]
  readonly limitedKeyIds: Set<string>
  hasCost: boolean
  latestDay: number
}

interface Facts {
  readonly balances: Map<string, StoredBalance>
  readonly totals: ReadonlyMap<string, KeyTotals>
}

/** Moves the costs of stored settlements from the holds into the balances. */
export class StoredSettlements {
  readonly #parts: StoredSettlementsParts

  constructor(parts: StoredSettlementsParts) {
    this.#parts = parts
  }

  /** Never rejects: what the limits store did not receive is sent when it is healed. */
  async note(settlements: readonly Settlement[], balances: readonly StoredBalance[]): Promise<void> {
    const batches = this.#batches(settlements)
    const facts = await this.#facts(batches, balances)
    await Promise.all(batches.map((batch) => this.#learn(batch, facts)))
  }

  #batches(settlements: readonly Settlement[]): Batch[] {
    const batches = new Map<string, Batch>()
    for (const settlement of settlements) {
      const { accountId } = settlement
      const batch = batches.get(accountId) ?? newBatch(accountId)
      batches.set(accountId, batch)
      this.#add(settlement, batch)
    }
    return [...batches.values()]
  }

  #add(settlement: Settlement, batch: Batch): void {
    const { requestId, keyId, amountNano } = settlement
    const { entries } = this.#parts
    const entry = entries.get(requestId)
    // A settlement that no journal file took is stored before its request is settled here.
    if (entry?.state === 'open') entries.settle(entry, amountNano, dayOf(endedAtMs(settlement)))
    if (entry?.state === 'settled') {
      entries.noteStored(entry)
      batch.entries.push(entry)
    } else if (entry === undefined) batch.unknownIds.push(requestId)
    if (this.#parts.needsTotals(keyId)) batch.limitedKeyIds.add(keyId)
    if (amountNano !== 0n) batch.hasCost = true
    batch.latestDay = Math.max(batch.latestDay, dayOf(endedAtMs(settlement)))
  }

  /** null when the database fails. */
  async #facts(batches: readonly Batch[], balances: readonly StoredBalance[]): Promise<Facts | null> {
    const { reader, onTrouble } = this.#parts
    const known = new Map(balances.map((balance) => [balance.accountId, balance]))
    // Settlements that were stored before do not change a balance, so none came with them.
    const missing = batches.filter(({ accountId, hasCost }) => hasCost && !known.has(accountId))
    const keyIds = batches.flatMap(({ limitedKeyIds }) => [...limitedKeyIds])
    const latestDay = Math.max(...batches.map((batch) => batch.latestDay))
    try {
      const [read, totals] = await Promise.all([
        reader.readBalances(missing.map(({ accountId }) => accountId)),
        reader.readTotals(keyIds, latestDay),
      ])
      for (const [accountId, balance] of read) known.set(accountId, balance)
      return { balances: known, totals }
    } catch (error) {
      onTrouble(error)
      return null
    }
  }

  async #learn(batch: Batch, facts: Facts | null): Promise<void> {
    const { circuit, staleAccounts, sender } = this.#parts
    const { accountId, unknownIds, limitedKeyIds } = batch
    if (facts === null) {
      staleAccounts.add(accountId, limitedKeyIds)
      return
    }
    const balance = facts.balances.get(accountId) ?? null
    const entries = this.#count(batch, balance)
    if (!circuit.isClosed) {
      staleAccounts.add(accountId, limitedKeyIds)
      return
    }
    const keys = [...limitedKeyIds].flatMap((keyId) => facts.totals.get(keyId) ?? [])
    try {
      await sender.send({ accountId, balance, keys, entries, unknownIds })
    } catch {
      // The circuit has opened, and the sender has marked the account as stale.
    }
  }

  /** Returns the entries that were not counted elsewhere in the meantime. */
  #count({ accountId, entries }: Batch, balance: StoredBalance | null): Entry[] {
    const { views, circuit, shares } = this.#parts
    if (balance !== null) views.account(accountId).learn(balance)
    const uncounted = entries.filter((entry) => entry.state === 'stored')
    for (const entry of uncounted) {
      this.#parts.entries.count(entry)
      shares.noteStored(entry, entry.amountNano, !circuit.isClosed)
    }
    return uncounted
  }
}

function newBatch(accountId: string): Batch {
  return {
    accountId,
    entries: [],
    unknownIds: [],
    limitedKeyIds: new Set(),
    hasCost: false,
    latestDay: Number.NEGATIVE_INFINITY,
  }
}

export interface SettleQueueParts {
  readonly sharedLimits: Pick<SharedHolds, 'settle'>
  readonly circuit: LimitsCircuit
  readonly staleAccounts: StaleAccounts
  readonly timers: Timers
}

// No request waits for it, but until it is sent the hold is higher than the cost.
const GATHER_MS = 5

/** Sends the costs of requests to the limits store, batched by account. */
export class SettleQueue {
  readonly #parts: SettleQueueParts
  #waiting = new Map<string, Entry[]>()
  #cancel: (() => void) | null = null

  constructor(parts: SettleQueueParts) {
    this.#parts = parts
  }

  add(entry: Entry): void {
    const ofAccount = this.#waiting.get(entry.accountId)
    if (ofAccount === undefined) this.#waiting.set(entry.accountId, [entry])
    else ofAccount.push(entry)
    this.#cancel ??= this.#parts.timers.after(GATHER_MS, this.#flush)
  }

  stop(): void {
    this.#cancel?.()
    this.#waiting.clear()
  }

  readonly #flush = (): void => {
    this.#cancel = null
    const waiting = this.#waiting
    this.#waiting = new Map()
    for (const [accountId, entries] of waiting) void this.#send(accountId, entries)
  }

  async #send(accountId: string, entries: readonly Entry[]): Promise<void> {
    const { sharedLimits, circuit, staleAccounts } = this.#parts
    if (!circuit.isClosed) {
      staleAccounts.add(accountId)
      return
    }
    try {
      await circuit.watch(sharedLimits.settle(accountId, entries))
    } catch {
      // The circuit has opened; the account is healed when the limits store answers again.
      staleAccounts.add(accountId)
    }
  }
}
