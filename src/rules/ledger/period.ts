import type { UsagePeriod } from '../../vocabulary/api-key.ts'

const DAY_MS = 86_400_000
// 1970-01-01 was a Thursday, three days after a Monday.
const DAYS_AFTER_MONDAY = 3

/** Days since 1970-01-01 UTC. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS)
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
