import type { UsageLimit, UsagePeriod } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import { periodStartDay } from './period.ts'

interface PeriodSum {
  readonly period: UsagePeriod
  readonly startDay: number
  spentNano: NanoUsdt
}

/** What one key has spent by day and holds now. Kept in memory; rebuilt from the stored days. */
export class KeySpend {
  heldNano: NanoUsdt = 0n
  readonly #days = new Map<number, NanoUsdt>()
  // Summing days on every admission would cost more the longer the period is.
  #sum: PeriodSum | null = null

  add(day: number, amountNano: NanoUsdt): void {
    this.#days.set(day, (this.#days.get(day) ?? 0n) + amountNano)
    if (this.#sum !== null && day >= this.#sum.startDay) this.#sum.spentNano += amountNano
  }

  /** Takes in what is stored of a day. The store may lag behind, so what is known already is never forgotten. */
  learn(day: number, amountNano: NanoUsdt): void {
    const known = this.#days.get(day) ?? 0n
    if (amountNano > known) this.add(day, amountNano - known)
  }

  spentNano(period: UsagePeriod, today: number): NanoUsdt {
    const startDay = periodStartDay(period, today)
    if (this.#sum?.period !== period || this.#sum.startDay !== startDay) {
      this.#sum = { period, startDay, spentNano: this.#sumSince(startDay) }
    }
    return this.#sum.spentNano
  }

  hasReached(limit: UsageLimit, today: number): boolean {
    return this.spentNano(limit.period, today) >= limit.amountNano
  }

  canHold(limit: UsageLimit, amountNano: NanoUsdt, today: number): boolean {
    const spentNano = this.spentNano(limit.period, today)
    return spentNano < limit.amountNano && spentNano + this.heldNano + amountNano <= limit.amountNano
  }

  #sumSince(startDay: number): NanoUsdt {
    let total = 0n
    for (const [day, amountNano] of this.#days) {
      if (day >= startDay) total += amountNano
    }
    return total
  }
}
