import type { StoredBalance } from '../serve/ports/shared-storage.ts'
import type { Settlement } from '../vocabulary/settlement.ts'

type Listener = (settlements: readonly Settlement[], balances: readonly StoredBalance[]) => Promise<void>

/**
 * Passes stored settlements on to a listener. A start stores what an earlier process left behind before there is a
 * listener, so the feed keeps a backlog for it.
 */
export class SettlementFeed {
  #listener: Listener | null = null
  readonly #backlog = new Backlog()
  readonly #underWay = new Set<Promise<void>>()

  note(...stored: Parameters<Listener>): void {
    if (this.#listener === null) {
      this.#backlog.add(...stored)
      return
    }
    const forget = () => void this.#underWay.delete(handled)
    const handled = this.#listener(...stored).then(forget, forget)
    this.#underWay.add(handled)
  }

  listen(listener: Listener): void {
    this.#listener = listener
    const { settlements, balances } = this.#backlog.take()
    if (settlements.length > 0) this.note(settlements, balances)
  }

  /** Resolves when the listener has handled everything that was passed on. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }
}

/**
 * What was stored before there was a listener. A journal can be large, and the holds of its requests are gone with their
 * process, so one settlement per key is enough to show which balances have changed.
 */
class Backlog {
  readonly #settlements = new Map<string, Settlement>()
  readonly #balances = new Map<string, StoredBalance>()

  add(settlements: readonly Settlement[], balances: readonly StoredBalance[]): void {
    for (const settlement of settlements) {
      const { keyId, amountNano } = settlement
      // A free request changes no balance, so it must not replace one that does.
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
