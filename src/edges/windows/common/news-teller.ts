import type { CommonDesk } from '../../../serve/ports/common-desk.ts'
import type { KeyTotals, StoredBalance } from '../../../serve/ports/shared-books.ts'
import type { DeskCircuit } from './desk-circuit.ts'
import type { DeskGeneration } from './desk-generation.ts'
import type { Entry, OpenEntries } from './open-entries.ts'
import type { Suspects } from './suspects.ts'

export interface TellerParts {
  readonly desk: CommonDesk
  readonly circuit: DeskCircuit
  readonly generation: DeskGeneration
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

/** Tells the desk what is stored. */
export class NewsTeller {
  readonly #parts: TellerParts

  constructor(parts: TellerParts) {
    this.#parts = parts
  }

  /** Entries are forgotten when the desk has heard of them. Fails when the desk does. */
  async tell({ accountId, balance, keys, entries, strangers }: StoredNews): Promise<void> {
    const { desk, circuit, suspects } = this.#parts
    // The present one, whenever the facts were read: those that are out of date by then change nothing.
    const generation = this.#parts.generation.current
    const stored = [...strangers]
    for (const entry of entries) {
      entry.state = 'telling'
      stored.push(entry.requestId)
    }
    try {
      await circuit.watch(desk.learn(accountId, { generation, stored, balance, keys, isLoad: false }))
      for (const entry of entries) this.#parts.entries.forget(entry)
      // What the desk holds of them is a part of a sum, which is now too great.
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
