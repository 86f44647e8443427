import type { Budget } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'

/** The thresholds (percent) that a month's spend has reached and that are above the highest one said before. */
export function newThresholds(budget: Budget, spentNano: NanoUsdt, saidUpTo: number): number[] {
  return budget.thresholds.filter(
    (threshold) => threshold > saidUpTo && spentNano * 100n >= budget.amountNano * BigInt(threshold),
  )
}
