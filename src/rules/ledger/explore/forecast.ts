import { SPAN_MS } from '../aggregate.ts'
import { dayOf } from '../period.ts'
import { nextPeriodStartMs, periodStartMs } from './periods.ts'

/** A week, so that every day of the week has its weight. */
const MOST_DAYS = 7

/** From when on a forecast needs the sums of days. */
export function forecastFromMs(nowMs: number): number {
  return Math.min(periodStartMs('month', nowMs), (dayOf(nowMs) - MOST_DAYS) * SPAN_MS.day)
}

export interface MonthForecast {
  readonly monthMs: number
  readonly soFar: bigint
  readonly expected: bigint
  /** How many whole days the mean is of. */
  readonly days: number
}

/**
 * What a month comes to: so far, and for the time that is left the mean of the last seven whole days, or of all whole days
 * since the first one. Null before the first whole day. `byDay` has the sum of each day by the number of the day.
 */
export function forecastMonth(byDay: ReadonlyMap<number, bigint>, nowMs: number): MonthForecast | null {
  const today = dayOf(nowMs)
  const first = Math.min(today, ...byDay.keys())
  const days = Math.min(MOST_DAYS, today - first)
  if (days <= 0) return null
  const monthMs = periodStartMs('month', nowMs)
  let soFar = 0n
  let recent = 0n
  for (const [day, sum] of byDay) {
    if (day >= dayOf(monthMs)) soFar += sum
    if (day >= today - days && day < today) recent += sum
  }
  const leftMs = BigInt(nextPeriodStartMs('month', monthMs) - Math.floor(nowMs))
  return { monthMs, soFar, expected: soFar + (recent * leftMs) / BigInt(days * SPAN_MS.day), days }
}
