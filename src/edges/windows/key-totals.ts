import { periodStartDay } from '../../rules/ledger/period.ts'
import type { KeyTotals, PeriodTotal } from '../../serve/ports/shared-books.ts'
import type { UsagePeriod } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'

/** What a key has spent in the period a day belongs to. Totals of an earlier period say nothing was spent in it. */
export function spentIn(totals: KeyTotals | null | undefined, period: UsagePeriod, day: number): NanoUsdt {
  if (totals === null || totals === undefined) return 0n
  const total = totals.totals[period]
  return total.startDay >= periodStartDay(period, day) ? total.spentNano : 0n
}

/** Of each period the newer total: what was spent in a period never gets less. */
export function newerTotals(known: KeyTotals | null | undefined, told: KeyTotals): KeyTotals {
  if (known === null || known === undefined) return told
  return {
    keyId: told.keyId,
    totals: {
      daily: newer(known.totals.daily, told.totals.daily),
      weekly: newer(known.totals.weekly, told.totals.weekly),
      monthly: newer(known.totals.monthly, told.totals.monthly),
      forever: newer(known.totals.forever, told.totals.forever),
    },
  }
}

function newer(known: PeriodTotal, told: PeriodTotal): PeriodTotal {
  if (told.startDay !== known.startDay) return told.startDay > known.startDay ? told : known
  return told.spentNano > known.spentNano ? told : known
}

const NOT_BEGUN: PeriodTotal = { startDay: 0, spentNano: 0n }

/** A node whose clock is ahead tells of a period that has not begun; the present one must not be forgotten for it. */
export function begunBy(day: number, { keyId, totals }: KeyTotals): KeyTotals {
  const begun = (total: PeriodTotal) => (total.startDay <= day ? total : NOT_BEGUN)
  return {
    keyId,
    totals: {
      daily: begun(totals.daily),
      weekly: begun(totals.weekly),
      monthly: begun(totals.monthly),
      forever: totals.forever,
    },
  }
}
