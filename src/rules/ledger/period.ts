import type { UsageLimit, UsagePeriod } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'

export const DAY_MS = 86_400_000
// 1970-01-01 was a Thursday, three days after a Monday.
const DAYS_AFTER_MONDAY = 3

/** Days since 1970-01-01 UTC. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS)
}

/**
 * When a request ended: the time of its ledger entry and of its usage. Rounded as it is stored, so that a recount from
 * storage puts it in the same hour.
 */
export function endedAtMs({
  startedAtMs,
  durationMs,
}: Pick<Settlement, 'startedAtMs' | 'durationMs'>): number {
  return Math.round(startedAtMs) + Math.round(durationMs)
}

/** The first day of the calendar period (UTC, weeks start on Monday) that a day belongs to. */
export function periodStartDay(period: UsagePeriod, day: number): number {
  switch (period) {
    case 'daily':
      return day
    case 'weekly':
      return day - ((((day + DAYS_AFTER_MONDAY) % 7) + 7) % 7)
    case 'monthly':
      return firstDayOfMonth(day)
    case 'forever':
      return Number.NEGATIVE_INFINITY
  }
}

/** The first moment of the period after the one a day belongs to; null when there is none. */
export function nextPeriodMs(period: UsagePeriod, day: number): number | null {
  switch (period) {
    case 'daily':
      return (day + 1) * DAY_MS
    case 'weekly':
      return (periodStartDay('weekly', day) + 7) * DAY_MS
    case 'monthly':
      return firstDayOfMonth(day, 1) * DAY_MS
    case 'forever':
      return null
  }
}

function firstDayOfMonth(day: number, monthsLater = 0): number {
  const date = new Date(day * DAY_MS)
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1))
}

interface PeriodSum {
  readonly startDay: number
  spentNano: NanoUsdt
}

/** What one key has spent per day, and its current holds. In memory; rebuilt from the stored days. */
export class KeySpend {
  heldNano: NanoUsdt = 0n
  readonly #days = new Map<number, NanoUsdt>()
  // Summing days on every admission would cost more the longer the period is.
  readonly #sums = new Map<UsagePeriod, PeriodSum>()

  add(day: number, amountNano: NanoUsdt): void {
    this.#days.set(day, (this.#days.get(day) ?? 0n) + amountNano)
    for (const sum of this.#sums.values()) if (day >= sum.startDay) sum.spentNano += amountNano
  }

  /** Merges the stored amount of a day. The store may lag behind, so the amount never decreases. */
  learn(day: number, amountNano: NanoUsdt): void {
    const known = this.#days.get(day) ?? 0n
    if (amountNano > known) this.add(day, amountNano - known)
  }

  spentNano(period: UsagePeriod, today: number): NanoUsdt {
    const startDay = periodStartDay(period, today)
    const known = this.#sums.get(period)
    if (known?.startDay === startDay) return known.spentNano
    const spentNano = this.#sumSince(startDay)
    this.#sums.set(period, { startDay, spentNano })
    return spentNano
  }

  hasReached(limit: UsageLimit, today: number): boolean {
    return this.spentNano(limit.period, today) >= limit.amountNano
  }

  #sumSince(startDay: number): NanoUsdt {
    let total = 0n
    for (const [day, amountNano] of this.#days) {
      if (day >= startDay) total += amountNano
    }
    return total
  }
}
