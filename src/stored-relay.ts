import type { StoredBalance } from './gateway/ports/shared-books.ts'
import type { Settlement } from './vocabulary/settlement.ts'

type Listener = (settlements: readonly Settlement[], balances: readonly StoredBalance[]) => Promise<void>

/**
 * Passes on what the database has taken. A start stores what an earlier process left behind before anybody can listen;
 * it is kept for the first who does.
 */
export class StoredRelay {
  #listener: Listener | null = null
  #early: Parameters<Listener>[] = []
  #last: Promise<unknown> = Promise.resolve()

  note(...news: Parameters<Listener>): void {
    if (this.#listener === null) this.#early.push(news)
    else this.#last = Promise.all([this.#last, this.#listener(...news)])
  }

  listen(listener: Listener): void {
    this.#listener = listener
    for (const news of this.#early.splice(0)) this.note(...news)
  }

  /** For where nobody wants to know. */
  ignore(): void {
    this.listen(() => Promise.resolve())
  }

  /** Resolves when all that was passed on has been dealt with. */
  async settled(): Promise<void> {
    await this.#last
  }
}
