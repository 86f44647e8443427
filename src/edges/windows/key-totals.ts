import { periodStartDay } from '../../rules/ledger/period.ts'
import type { KeyTotals, PeriodTotal } from '../../serve/ports/shared-storage.ts'
import type { UsagePeriod } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'

/** What a key has spent in the period that contains `day`. Totals of an earlier period count as zero. */
export function spentIn(totals: KeyTotals | null | undefined, period: UsagePeriod, day: number): NanoUsdt {
  if (totals === null || totals === undefined) return 0n
  const total = totals.totals[period]
  return total.startDay >= periodStartDay(period, day) ? total.spentNano : 0n
}

/** Keeps the newer total of each period. Spending in a period never decreases. */
export function newerTotals(known: KeyTotals | null | undefined, read: KeyTotals): KeyTotals {
  if (known === null || known === undefined) return read
  return {
    keyId: read.keyId,
    totals: {
      daily: newer(known.totals.daily, read.totals.daily),
      weekly: newer(known.totals.weekly, read.totals.weekly),
      monthly: newer(known.totals.monthly, read.totals.monthly),
      forever: newer(known.totals.forever, read.totals.forever),
    },
  }
}

function newer(known: PeriodTotal, read: PeriodTotal): PeriodTotal {
  if (read.startDay !== known.startDay) return read.startDay > known.startDay ? read : known
  return read.spentNano > known.spentNano ? read : known
}

const NOT_BEGUN: PeriodTotal = { startDay: 0, spentNano: 0n }

/** Drops periods that have not begun: a node whose clock is ahead must not replace the current one. */
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
