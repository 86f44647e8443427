import { periodStartDay } from '../../../rules/ledger/period.ts'
import type { KeyMoney } from '../../../serve/ports/admissions.ts'
import type { KeyTotals, StoredBalance } from '../../../serve/ports/shared-books.ts'
import type { UsagePeriod } from '../../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'
import { newerTotals, spentIn } from './key-totals.ts'

/** What this node knows of an account's money: what was stored when it last heard of it, and what it did itself. */
export class AccountView {
  /** Below any stored one while nothing is known. */
  version = -1n
  readAtMs = Number.NEGATIVE_INFINITY
  storedNano: NanoUsdt = 0n
  /** Holds of this node on requests under way. */
  heldNano: NanoUsdt = 0n
  /** Costs of requests of this node that the stored balance does not have yet. */
  unstoredNano: NanoUsdt = 0n

  get isKnown(): boolean {
    return this.version >= 0n
  }

  learn({ balanceNano, version }: Pick<StoredBalance, 'balanceNano' | 'version'>): void {
    if (version <= this.version) return
    this.version = version
    this.storedNano = balanceNano
  }
}

/** The same of a key. */
export class KeyView {
  totals: KeyTotals | null = null
  readAtMs = Number.NEGATIVE_INFINITY
  heldNano: NanoUsdt = 0n
  unstoredNano: NanoUsdt = 0n
  // Costs count on the day a request ended, and around midnight there are two of them.
  readonly #unstoredByDay = new Map<number, NanoUsdt>()

  learn(totals: KeyTotals, nowMs: number): void {
    this.totals = newerTotals(this.totals, totals)
    this.readAtMs = nowMs
  }

  addUnstored(day: number, changeNano: NanoUsdt): void {
    this.unstoredNano += changeNano
    const ofDay = (this.#unstoredByDay.get(day) ?? 0n) + changeNano
    if (ofDay === 0n) this.#unstoredByDay.delete(day)
    else this.#unstoredByDay.set(day, ofDay)
  }

  spentNano(period: UsagePeriod, today: number): NanoUsdt {
    let spentNano = spentIn(this.totals, period, today)
    if (this.#unstoredByDay.size === 0) return spentNano
    const startDay = periodStartDay(period, today)
    for (const [day, amountNano] of this.#unstoredByDay) if (day >= startDay) spentNano += amountNano
    return spentNano
  }
}

const NOTHING_SPENT: KeyMoney = { spentNano: 0n, heldNano: 0n }

/** Everything this node knows of money. */
export class MoneyViews {
  readonly #accounts = new Map<string, AccountView>()
  readonly #keys = new Map<string, KeyView>()

  account(accountId: string): AccountView {
    const known = this.#accounts.get(accountId)
    if (known !== undefined) return known
    const created = new AccountView()
    this.#accounts.set(accountId, created)
    return created
  }

  key(keyId: string): KeyView {
    const known = this.#keys.get(keyId)
    if (known !== undefined) return known
    const created = new KeyView()
    this.#keys.set(keyId, created)
    return created
  }

  balanceNano(accountId: string): NanoUsdt {
    const account = this.#accounts.get(accountId)
    return account === undefined ? 0n : account.storedNano - account.unstoredNano
  }

  knowsBalance(accountId: string): boolean {
    return this.#accounts.get(accountId)?.isKnown ?? false
  }

  keyMoney(keyId: string, period: UsagePeriod, today: number): KeyMoney {
    // A look must not leave anything behind: keys that never spend are not to be remembered.
    const key = this.#keys.get(keyId)
    if (key === undefined) return NOTHING_SPENT
    return { spentNano: key.spentNano(period, today), heldNano: key.heldNano }
  }
}
