import type { KeyTotals, StoredBalance } from '../../../serve/ports/shared-books.ts'
import type { SharedLimits } from '../../../serve/ports/shared-limits.ts'
import type { LimitsCircuit } from './limits-circuit.ts'
import type { LimitsGeneration } from './limits-generation.ts'
import type { Entry, OpenEntries } from './open-entries.ts'
import type { Suspects } from './suspects.ts'

export interface TellerParts {
  readonly sharedLimits: SharedLimits
  readonly circuit: LimitsCircuit
  readonly generation: LimitsGeneration
  readonly entries: OpenEntries
  readonly suspects: Suspects
}

/** What is stored of an account: its balance must have in it what the requests cost. */
export interface StoredNews {
  readonly accountId: string
  readonly balance: StoredBalance | null
  readonly keys: readonly KeyTotals[]
  /** Requests of this node. */
  readonly entries: readonly Entry[]
  /** Stored requests that this node knows nothing else of. */
  readonly strangers: readonly string[]
}

/** Tells the limits store what is stored. */
export class NewsTeller {
  readonly #parts: TellerParts

  constructor(parts: TellerParts) {
    this.#parts = parts
  }

  /** Entries are forgotten when the limits store has heard of them. Fails when the limits store does. */
  async tell({ accountId, balance, keys, entries, strangers }: StoredNews): Promise<void> {
    const { sharedLimits, circuit, suspects } = this.#parts
    // The present one, whenever the facts were read: those that are out of date by then change nothing.
    const generation = this.#parts.generation.current
    const stored = [...strangers]
    for (const entry of entries) {
      entry.state = 'telling'
      stored.push(entry.requestId)
    }
    try {
      await circuit.watch(sharedLimits.learn(accountId, { generation, stored, balance, keys, isLoad: false }))
      for (const entry of entries) this.#parts.entries.forget(entry)
      // What the limits store holds of them is a part of a sum, which is now too great.
      if (entries.some(({ isFolded }) => isFolded)) suspects.add(accountId)
    } catch (error) {
      for (const entry of entries) entry.state = 'stored'
      suspects.add(
        accountId,
        keys.map((totals) => totals.keyId),
      )
      throw error
    }
  }
}
