import { dayOf } from '../../../rules/ledger/period.ts'
import type { KeyTotals, SharedBookStore, StoredBalance } from '../../../serve/ports/shared-books.ts'
import type { Clock } from '../../../vocabulary/clock.ts'
import type { MoneyViews } from './money-views.ts'

export type StoredBooks = Pick<SharedBookStore, 'loadStoredBalances' | 'loadKeyTotals'>

const MOST_AT_ONCE = 500

/** Reads the database; whatever is read is also what this node knows from then on. */
export class AccountReader {
  readonly #books: StoredBooks
  readonly #views: MoneyViews
  readonly #clock: Clock

  constructor(books: StoredBooks, views: MoneyViews, clock: Clock) {
    this.#books = books
    this.#views = views
    this.#clock = clock
  }

  async readBalances(accountIds: readonly string[]): Promise<Map<string, StoredBalance>> {
    const found = new Map<string, StoredBalance>()
    const nowMs = this.#clock.nowMs()
    for (const some of chunksOf(accountIds)) {
      for (const balance of await this.#books.loadStoredBalances(some)) {
        const view = this.#views.account(balance.accountId)
        view.learn(balance)
        view.readAtMs = nowMs
        found.set(balance.accountId, balance)
      }
    }
    return found
  }

  /** `day`: the latest of which something was stored, when a clock other than this one may have been ahead. */
  async readTotals(
    keyIds: readonly string[],
    day = Number.NEGATIVE_INFINITY,
  ): Promise<Map<string, KeyTotals>> {
    const found = new Map<string, KeyTotals>()
    const nowMs = this.#clock.nowMs()
    for (const some of chunksOf(keyIds)) {
      for (const totals of await this.#books.loadKeyTotals(some, Math.max(day, dayOf(nowMs)))) {
        this.#views.key(totals.keyId).learn(totals, nowMs)
        found.set(totals.keyId, totals)
      }
    }
    return found
  }
}

function* chunksOf(ids: readonly string[]): Generator<readonly string[]> {
  for (let first = 0; first < ids.length; first += MOST_AT_ONCE) yield ids.slice(first, first + MOST_AT_ONCE)
}
