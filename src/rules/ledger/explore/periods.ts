import type { ExploreSpan } from '../../../vocabulary/observability/explore.ts'
import type { UsageSpan } from '../../../vocabulary/settlement.ts'
import { SPAN_MS } from '../aggregate.ts'
import { dayOf, nextPeriodMs, periodStartDay } from '../period.ts'

const CALENDAR = { day: 'daily', week: 'weekly', month: 'monthly' } as const

/** Weeks and months are added up from days. */
export function countedSpan(span: ExploreSpan): UsageSpan {
  return span === 'hour' ? 'hour' : 'day'
}

/** The start of the period (UTC) that a moment is in. */
export function periodStartMs(span: ExploreSpan, atMs: number): number {
  if (span === 'hour') return Math.floor(atMs / SPAN_MS.hour) * SPAN_MS.hour
  return periodStartDay(CALENDAR[span], dayOf(atMs)) * SPAN_MS.day
}

export function nextPeriodStartMs(span: ExploreSpan, startMs: number): number {
  if (span === 'hour') return startMs + SPAN_MS.hour
  return nextPeriodMs(CALENDAR[span], dayOf(startMs)) ?? Number.POSITIVE_INFINITY
}

/** The starts of all periods that a range touches. */
export function periodsIn(span: ExploreSpan, fromMs: number, toMs: number): number[] {
  const starts: number[] = []
  for (
    let startMs = periodStartMs(span, fromMs);
    startMs < toMs;
    startMs = nextPeriodStartMs(span, startMs)
  ) {
    starts.push(startMs)
  }
  return starts
}

/** As many periods that end where these begin. */
export function periodsBefore(span: ExploreSpan, periods: readonly number[]): number[] {
  const before: number[] = []
  let startMs = periods[0] ?? 0
  while (before.length < periods.length) {
    startMs = periodStartMs(span, startMs - 1)
    before.unshift(startMs)
  }
  return before
}
