import { dayOf, endedAtMs, periodStartDay } from '../../../rules/ledger/period.ts'
import type { KeyTotals, StoredBalance } from '../../../serve/ports/shared-storage.ts'
import type { UsagePeriod } from '../../../vocabulary/api-key.ts'
import type { Timers } from '../../../vocabulary/clock.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import type { MoneyStore } from '../node/accounts.ts'

/** The database of a test: balances with versions, and what keys spent by day. */
export class TinyStorage implements MoneyStore {
  isAway = false
  /** Delay of an answer, which shows the state at the time of the call. */
  answerMs = 0
  reads = 0
  readonly #timers: Timers
  readonly #balances = new Map<string, StoredBalance>()
  readonly #written = new Set<string>()
  readonly #spends = new Map<string, Map<number, bigint>>()

  constructor(timers: Timers) {
    this.#timers = timers
  }

  move(accountId: string, amountNano: bigint): StoredBalance {
    const { balanceNano, version } = this.balance(accountId)
    const moved = { accountId, balanceNano: balanceNano + amountNano, version: version + 1n }
    this.#balances.set(accountId, moved)
    return moved
  }

  balance(accountId: string): StoredBalance {
    return this.#balances.get(accountId) ?? { accountId, balanceNano: 0n, version: 0n }
  }

  hasWritten(requestId: string): boolean {
    return this.#written.has(requestId)
  }

  totals(keyId: string, day: number): KeyTotals {
    const total = (period: UsagePeriod) => {
      const startDay = Math.max(0, periodStartDay(period, day))
      let spentNano = 0n
      for (const [ofDay, amountNano] of this.#spends.get(keyId) ?? [])
        if (ofDay >= startDay) spentNano += amountNano
      return { startDay, spentNano }
    }
    const [daily, weekly, monthly, forever] = [
      total('daily'),
      total('weekly'),
      total('monthly'),
      total('forever'),
    ]
    return { keyId, totals: { daily, weekly, monthly, forever } }
  }

  /** A settlement that was written before is skipped and returns no balance. */
  write(settlements: readonly Settlement[]): StoredBalance[] {
    const moved = new Map<string, StoredBalance>()
    for (const settlement of settlements) {
      const { requestId, accountId, keyId, amountNano } = settlement
      if (this.#written.has(requestId)) continue
      this.#written.add(requestId)
      if (amountNano === 0n) continue
      moved.set(accountId, this.move(accountId, -amountNano))
      const days = this.#spends.get(keyId) ?? new Map<number, bigint>()
      const day = dayOf(endedAtMs(settlement))
      this.#spends.set(keyId, days.set(day, (days.get(day) ?? 0n) + amountNano))
    }
    return [...moved.values()]
  }

  loadStoredBalances(accountIds: readonly string[]): Promise<readonly StoredBalance[]> {
    return this.#answer(accountIds.map((accountId) => this.balance(accountId)))
  }

  loadKeyTotals(keyIds: readonly string[], day: number): Promise<readonly KeyTotals[]> {
    return this.#answer(keyIds.map((keyId) => this.totals(keyId, day)))
  }

  async #answer<Value>(value: Value): Promise<Value> {
    this.reads += 1
    if (this.isAway) throw new Error('The database is away.')
    if (this.answerMs > 0) await new Promise<void>((resolve) => this.#timers.after(this.answerMs, resolve))
    return value
  }
}
