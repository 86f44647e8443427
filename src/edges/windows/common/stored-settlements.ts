import { endedAtMs } from '../../../rules/ledger/aggregate.ts'
import { dayOf } from '../../../rules/ledger/period.ts'
import type { KeyTotals, StoredBalance } from '../../../serve/ports/shared-books.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import type { AccountReader } from './account-reader.ts'
import type { LimitsCircuit } from './limits-circuit.ts'
import type { LocalShares } from './local-shares.ts'
import type { MoneyViews } from './money-views.ts'
import type { NewsTeller } from './news-teller.ts'
import type { Entry, OpenEntries } from './open-entries.ts'
import type { Suspects } from './suspects.ts'

export interface StoredSettlementsParts {
  readonly circuit: LimitsCircuit
  readonly reader: AccountReader
  readonly views: MoneyViews
  readonly entries: OpenEntries
  readonly suspects: Suspects
  readonly teller: NewsTeller
  readonly shares: LocalShares
  readonly needsTotals: (keyId: string) => boolean
  readonly onNews: (accountId: string, keyIds: readonly string[]) => void
  readonly onTrouble: (error: unknown) => void
}

/** The stored settlements of one account. */
interface Batch {
  readonly accountId: string
  readonly entries: Entry[]
  readonly strangers: string[]
  readonly keyIds: Set<string>
  readonly limitedKeyIds: Set<string>
  hasCost: boolean
  latestDay: number
}

interface Facts {
  readonly balances: Map<string, StoredBalance>
  readonly totals: ReadonlyMap<string, KeyTotals>
}

/** What follows from settlements having been stored: costs leave the holds and are in the balances instead. */
export class StoredSettlements {
  readonly #parts: StoredSettlementsParts

  constructor(parts: StoredSettlementsParts) {
    this.#parts = parts
  }

  /** Never fails: what the limits store could not be told it is told when it is healed. */
  async note(settlements: readonly Settlement[], balances: readonly StoredBalance[]): Promise<void> {
    const batches = this.#batches(settlements)
    const facts = await this.#facts(batches, balances)
    await Promise.all(batches.map((batch) => this.#learn(batch, facts)))
    for (const { accountId, keyIds } of batches) this.#parts.onNews(accountId, [...keyIds])
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
    // One that no file took is stored before its request hears of it.
    if (entry?.state === 'open') entries.settle(entry, amountNano, dayOf(endedAtMs(settlement)))
    if (entry?.state === 'settled') {
      entries.noteStored(entry)
      batch.entries.push(entry)
    } else if (entry === undefined) batch.strangers.push(requestId)
    batch.keyIds.add(keyId)
    if (this.#parts.needsTotals(keyId)) batch.limitedKeyIds.add(keyId)
    if (amountNano !== 0n) batch.hasCost = true
    batch.latestDay = Math.max(batch.latestDay, dayOf(endedAtMs(settlement)))
  }

  /** null when the database does not tell what is missing. */
  async #facts(batches: readonly Batch[], balances: readonly StoredBalance[]): Promise<Facts | null> {
    const { reader, onTrouble } = this.#parts
    const known = new Map(balances.map((balance) => [balance.accountId, balance]))
    // Settlements that had been written before move no balance, and then none is told.
    const untold = batches.filter(({ accountId, hasCost }) => hasCost && !known.has(accountId))
    const keyIds = batches.flatMap(({ limitedKeyIds }) => [...limitedKeyIds])
    const latestDay = Math.max(...batches.map((batch) => batch.latestDay))
    try {
      const [read, totals] = await Promise.all([
        reader.readBalances(untold.map(({ accountId }) => accountId)),
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
    const { circuit, suspects, teller } = this.#parts
    const { accountId, strangers, limitedKeyIds } = batch
    if (facts === null) {
      suspects.add(accountId, limitedKeyIds)
      return
    }
    const balance = facts.balances.get(accountId) ?? null
    const entries = this.#count(batch, balance)
    if (!circuit.isClosed) {
      suspects.add(accountId, limitedKeyIds)
      return
    }
    const keys = [...limitedKeyIds].flatMap((keyId) => facts.totals.get(keyId) ?? [])
    try {
      await teller.tell({ accountId, balance, keys, entries, strangers })
    } catch {
      // The circuit knows, and the teller has made the account suspect.
    }
  }

  /** Those that were not counted by somebody else meanwhile. */
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
    strangers: [],
    keyIds: new Set(),
    limitedKeyIds: new Set(),
    hasCost: false,
    latestDay: Number.NEGATIVE_INFINITY,
  }
}
