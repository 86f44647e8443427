import type { StoredBalance } from '../serve/ports/shared-books.ts'
import type { Settlement } from '../vocabulary/settlement.ts'

type Listener = (settlements: readonly Settlement[], balances: readonly StoredBalance[]) => Promise<void>

/**
 * Passes on what the database has taken. A start stores what an earlier process left behind before anybody can listen;
 * it is kept for the first who does.
 */
export class SettlementFeed {
  #listener: Listener | null = null
  readonly #early = new EarlyNews()
  readonly #underWay = new Set<Promise<void>>()

  note(...news: Parameters<Listener>): void {
    if (this.#listener === null) {
      this.#early.add(...news)
      return
    }
    const forget = () => void this.#underWay.delete(dealtWith)
    const dealtWith = this.#listener(...news).then(forget, forget)
    this.#underWay.add(dealtWith)
  }

  listen(listener: Listener): void {
    this.#listener = listener
    const { settlements, balances } = this.#early.take()
    if (settlements.length > 0) this.note(settlements, balances)
  }

  /** For where nobody wants to know. */
  ignore(): void {
    this.listen(() => Promise.resolve())
  }

  /** Resolves when all that was passed on has been dealt with. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }
}

/**
 * What was stored before anybody listened. A journal may be as large as its bound allows, and the process that placed
 * the holds of its requests is gone; so of each key one settlement stands for all, to say whose money has moved.
 */
class EarlyNews {
  readonly #settlements = new Map<string, Settlement>()
  readonly #balances = new Map<string, StoredBalance>()

  add(settlements: readonly Settlement[], balances: readonly StoredBalance[]): void {
    for (const settlement of settlements) {
      const { keyId, amountNano } = settlement
      // One that cost nothing moves nothing, and must not stand for one that did.
      if (amountNano !== 0n || !this.#settlements.has(keyId)) this.#settlements.set(keyId, settlement)
    }
    for (const balance of balances) {
      const known = this.#balances.get(balance.accountId)
      if (known === undefined || balance.version > known.version)
        this.#balances.set(balance.accountId, balance)
    }
  }

  take(): { readonly settlements: readonly Settlement[]; readonly balances: readonly StoredBalance[] } {
    const taken = { settlements: [...this.#settlements.values()], balances: [...this.#balances.values()] }
    this.#settlements.clear()
    this.#balances.clear()
    return taken
  }
}
