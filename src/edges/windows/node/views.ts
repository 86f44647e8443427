import { periodStartDay } from '../../../rules/ledger/period.ts'
import { WINDOW_MS } from '../../../rules/limits/window.ts'
import type { KeyMoney, WindowDemand, WindowReading } from '../../../serve/ports/admissions.ts'
import type { WindowState } from '../../../serve/ports/shared-limits.ts'
import type { KeyTotals, StoredBalance } from '../../../serve/ports/shared-storage.ts'
import type { UsagePeriod } from '../../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'
import { newerTotals, spentIn } from '../key-totals.ts'

/** What this node knows of an account's money: the last known stored balance, and its own holds and costs. */
export class AccountView {
  /** Below any stored version while the balance is unknown. */
  version = -1n
  readAtMs = Number.NEGATIVE_INFINITY
  storedNano: NanoUsdt = 0n
  /** Holds of this node on requests under way. */
  heldNano: NanoUsdt = 0n
  /** Costs of this node that the stored balance does not include yet. */
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

/** What this node knows of the money of a key. */
export class KeyView {
  totals: KeyTotals | null = null
  readAtMs = Number.NEGATIVE_INFINITY
  heldNano: NanoUsdt = 0n
  unstoredNano: NanoUsdt = 0n
  // Costs count on the day a request ended, so around midnight two days are open.
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

/** All account and key views of this node. */
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
    // Reading creates no entry, so keys that never spend take no memory.
    const key = this.#keys.get(keyId)
    if (key === undefined) return NOTHING_SPENT
    return { spentNano: key.spentNano(period, today), heldNano: key.heldNano }
  }
}

/** A window as the limits store last reported it; its end is by the clock of this node. */
export interface SeenWindow {
  readonly spent: number
  readonly closesAtMs: number
}

const SWEEP_EVERY_LOOKS = 10_000

/** The last known state of the limits store's windows. */
export class WindowView {
  readonly #seen = new Map<string, SeenWindow>()
  #looksUntilSweep = SWEEP_EVERY_LOOKS

  remember(windows: readonly WindowDemand[], states: readonly WindowState[], nowMs: number): void {
    for (let index = 0; index < windows.length; index += 1) {
      const window = windows[index]
      const state = states[index]
      if (window === undefined || state === undefined) continue
      this.#seen.set(window.id, { spent: state.spent, closesAtMs: nowMs + state.closesInMs })
    }
    this.#tidy(nowMs)
  }

  /** Adds a spend for which the limits store did not report the new state. */
  add(id: string, amount: number, nowMs: number): void {
    if (amount === 0) return
    const seen = this.find(id, nowMs)
    const closesAtMs = seen?.closesAtMs ?? nowMs + WINDOW_MS
    this.#seen.set(id, { spent: (seen?.spent ?? 0) + amount, closesAtMs })
    this.#tidy(nowMs)
  }

  /** null when the window is not known to be open. */
  find(id: string, nowMs: number): SeenWindow | null {
    const seen = this.#seen.get(id)
    // A clock that was set back also ends it, because the time left is unknown.
    if (seen === undefined || seen.closesAtMs <= nowMs || seen.closesAtMs > nowMs + WINDOW_MS) return null
    return seen
  }

  read({ id, metric, limit }: WindowDemand, nowMs: number): WindowReading {
    const seen = this.find(id, nowMs)
    if (seen === null) return { metric, limit, remaining: limit, resetSeconds: 0 }
    return {
      metric,
      limit,
      remaining: Math.max(0, limit - seen.spent),
      resetSeconds: secondsUntil(seen.closesAtMs, nowMs),
    }
  }

  #tidy(nowMs: number): void {
    this.#looksUntilSweep -= 1
    if (this.#looksUntilSweep > 0) return
    this.#looksUntilSweep = SWEEP_EVERY_LOOKS
    for (const [id, { closesAtMs }] of this.#seen) if (closesAtMs <= nowMs) this.#seen.delete(id)
  }
}

export function secondsUntil(endMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((endMs - nowMs) / 1_000))
}
