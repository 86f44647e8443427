import { endedAtMs } from '../../rules/ledger/aggregate.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import type { Storage } from '../ports/storage.ts'

export interface ElsewhereParts {
  readonly storage: Pick<Storage, 'listSettlements'>
  /** Whether any other node may store settlements. */
  readonly hasOthers: () => boolean
}

// An account that settles more than this in a second shows the newest; its pages read their lists anew in any case.
const NEWEST = 50
const MOST_REMEMBERED = 1_000
// So many accounts are looked at in one turn, so that pages never cost the database more than this.
const ACCOUNTS_AT_ONCE = 50
// Clocks of nodes may differ by this much.
const SKEW_MS = 5_000

interface Followed {
  /** Null until the first look. */
  sinceMs: number | null
  /** Requests that were told of, in this order. */
  readonly told: Set<string>
  /** What the last look found: it finds most of it again, however much was told of in between. */
  listed: ReadonlySet<string>
}

/**
 * Finds what other nodes have settled for accounts that somebody follows here. What is stored here is told at once;
 * what is stored elsewhere is found in the database by looking, and nothing is told twice.
 */
export class SettlementsElsewhere {
  readonly #parts: ElsewhereParts
  readonly #followed = new Map<string, Followed>()
  #isLooking = false

  constructor(parts: ElsewhereParts) {
    this.#parts = parts
  }

  begin(accountId: string): void {
    if (this.#followed.has(accountId)) return
    this.#followed.set(accountId, { sinceMs: null, told: new Set(), listed: new Set() })
  }

  end(accountId: string): void {
    this.#followed.delete(accountId)
  }

  /** Whether it is told of for the first time. */
  note({ accountId, requestId }: Settlement): boolean {
    const followed = this.#followed.get(accountId)
    if (followed === undefined) return true
    const { told, listed } = followed
    const isKnown = told.delete(requestId) || listed.has(requestId)
    told.add(requestId)
    const [oldest] = told
    if (told.size > MOST_REMEMBERED && oldest !== undefined) told.delete(oldest)
    return !isKnown
  }

  /** Gives each new settlement once, the oldest first. Never fails. */
  async look(nowMs: number, tell: (settlement: Settlement) => void): Promise<void> {
    for (const followed of this.#followed.values()) followed.sinceMs ??= nowMs - SKEW_MS
    if (this.#isLooking || !this.#parts.hasOthers()) return
    this.#isLooking = true
    try {
      for (const accountId of this.#takeTurn()) await this.#lookAt(accountId, tell)
    } catch {
      // A database that is away is told of elsewhere; the next look finds what this one missed.
    } finally {
      this.#isLooking = false
    }
  }

  /** Those that have waited longest go to the end. */
  #takeTurn(): string[] {
    const turn = [...this.#followed].slice(0, ACCOUNTS_AT_ONCE)
    for (const [accountId, followed] of turn) {
      this.#followed.delete(accountId)
      this.#followed.set(accountId, followed)
    }
    return turn.map(([accountId]) => accountId)
  }

  async #lookAt(accountId: string, tell: (settlement: Settlement) => void): Promise<void> {
    const { data } = await this.#parts.storage.listSettlements({ accountId }, { limit: NEWEST, cursor: null })
    const followed = this.#followed.get(accountId)
    if (followed === undefined) return
    const sinceMs = followed.sinceMs ?? Number.POSITIVE_INFINITY
    for (const settlement of data.toReversed()) {
      if (this.note(settlement) && endedAtMs(settlement) >= sinceMs) tell(settlement)
    }
    followed.listed = new Set(data.map(({ requestId }) => requestId))
  }
}
