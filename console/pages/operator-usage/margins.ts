import type { OperatorUsage } from '../../api/wire.ts'
import { sumAmounts } from '../../parts/text/decimal.ts'

const GROUPINGS = ['model', 'supplier', 'account_id'] as const
export type Grouping = (typeof GROUPINGS)[number]

export function isGrouping(text: string): text is Grouping {
  return GROUPINGS.some((each) => each === text)
}

export interface MarginSum {
  readonly requests: number
  readonly amount: string
  readonly cost: string
  readonly margin: string
}

export interface GroupMargin extends MarginSum {
  /** Null when no supplier answered. */
  readonly group: string | null
}

/** The sums of each group over all days, the largest amounts first. */
export function groupUsage(rows: readonly OperatorUsage[], grouping: Grouping): GroupMargin[] {
  const groups = Map.groupBy(rows, (row) => row[grouping] ?? null)
  return [...groups]
    .map(([group, own]) => ({ group, ...sumMargins(own) }))
    .sort((one, other) => Number(other.amount) - Number(one.amount) || other.requests - one.requests)
}

export function sumMargins(rows: readonly MarginSum[]): MarginSum {
  return {
    requests: rows.reduce((sum, { requests }) => sum + requests, 0),
    amount: sumAmounts(rows.map(({ amount }) => amount)),
    cost: sumAmounts(rows.map(({ cost }) => cost)),
    margin: sumAmounts(rows.map(({ margin }) => margin)),
  }
}

/** The margin as a share of the amount; null when nothing was charged. */
export function marginShare({ amount, margin }: Pick<MarginSum, 'amount' | 'margin'>): number | null {
  return Number(amount) === 0 ? null : Number(margin) / Number(amount)
}
