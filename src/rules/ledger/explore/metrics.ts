import { formatUsdt } from '../../../vocabulary/money.ts'
import type { ExploreMetric, ExploreUnit } from '../../../vocabulary/observability/explore.ts'
import type { UsageFigures } from '../../../vocabulary/settlement.ts'
import { BUCKETS, percentile } from './histogram.ts'

/** Sums by the name of the figure. */
export type Sums = Readonly<Record<string, bigint>>

/** How a metric is calculated from sums, so that it is right for every group and period. */
export interface MetricRule {
  readonly source: 'usage' | 'measures'
  readonly unit: ExploreUnit
  readonly figures: readonly string[]
  /** The figures by which groups are ranked, and where they come from. */
  readonly weight: readonly string[]
  readonly weightSource?: 'usage'
  /** Whether the values of groups and periods can be added up. */
  readonly isSum: boolean
  /** A decimal; null where it has no value. */
  decimalOf(sums: Sums): string | null
}

type UsageName = keyof UsageFigures

const OUTCOMES = ['completed', 'clientLeft', 'supplierFailed', 'refused', 'interrupted'] as const
// A request whose client disconnected does not count as failed.
const FAILURES = ['supplierFailed', 'refused', 'interrupted'] as const
const PROMPT = ['input', 'cacheRead', 'cacheWrite'] as const

export const METRIC_RULES: Readonly<Record<ExploreMetric, MetricRule>> = {
  spend: amounts(['amountNano'], (sums) => total(sums, ['amountNano'])),
  cost: amounts(
    ['amountNano', 'marginNano'],
    (sums) => total(sums, ['amountNano']) - total(sums, ['marginNano']),
  ),
  margin: amounts(['marginNano'], (sums) => total(sums, ['marginNano'])),
  requests: counts(OUTCOMES),
  tokens: counts([...PROMPT, 'output']),
  input_tokens: counts(PROMPT),
  output_tokens: counts(['output']),
  errors: counts(FAILURES),
  error_rate: shares(FAILURES, OUTCOMES),
  cache_hit_rate: shares(['cacheRead'], PROMPT),
  saved: {
    source: 'measures',
    unit: 'amount',
    figures: ['savedNano'],
    weight: ['savedNano'],
    isSum: true,
    decimalOf: (sums) => formatUsdt(total(sums, ['savedNano'])),
  },
  tokens_per_second: {
    source: 'measures',
    unit: 'per_second',
    figures: ['streamedTokens', 'streamedMs'],
    weight: ['streamedTokens'],
    isSum: false,
    decimalOf: (sums) => quotient(total(sums, ['streamedTokens']) * 1_000n, total(sums, ['streamedMs']), 2),
  },
  first_byte_p50: durations('firstByte', 0.5),
  first_byte_p95: durations('firstByte', 0.95),
  first_byte_p99: durations('firstByte', 0.99),
  duration_p50: durations('duration', 0.5),
  duration_p95: durations('duration', 0.95),
  duration_p99: durations('duration', 0.99),
}

/** Failures by code are counted apart, together with the requests they are a share of. */
export const CODE_RULES = {
  errors: { ...counts([]), decimalOf: (sums: Sums) => String(total(sums, ['count'])) },
  error_rate: {
    ...shares([], []),
    decimalOf: (sums: Sums) => quotient(total(sums, ['count']), total(sums, ['requests']), 6),
  },
} as const

export const REQUEST_FIGURES: readonly UsageName[] = OUTCOMES

function amounts(figures: readonly UsageName[], nanoOf: (sums: Sums) => bigint): MetricRule {
  const decimalOf = (sums: Sums) => formatUsdt(nanoOf(sums))
  return { source: 'usage', unit: 'amount', figures, weight: ['amountNano'], isSum: true, decimalOf }
}

function counts(figures: readonly UsageName[]): MetricRule {
  const decimalOf = (sums: Sums) => String(total(sums, figures))
  return { source: 'usage', unit: 'count', figures, weight: figures, isSum: true, decimalOf }
}

function shares(part: readonly UsageName[], whole: readonly UsageName[]): MetricRule {
  const decimalOf = (sums: Sums) => quotient(total(sums, part), total(sums, whole), 6)
  const figures = [...new Set([...whole, ...part])]
  return { source: 'usage', unit: 'share', figures, weight: whole, isSum: false, decimalOf }
}

function durations(name: 'firstByte' | 'duration', share: number): MetricRule {
  const figures = Array.from({ length: BUCKETS }, (_, bucket) => `${name}${bucket}`)
  return {
    source: 'measures',
    unit: 'milliseconds',
    figures,
    // As many as all buckets count.
    weight: [name === 'firstByte' ? 'firstBytes' : 'completed'] satisfies UsageName[],
    weightSource: 'usage',
    isSum: false,
    decimalOf: (sums) => {
      const counted = figures.map((figure) => Number(sums[figure] ?? 0n))
      const ms = percentile(counted, share)
      return ms === null ? null : String(Math.round(ms))
    },
  }
}

export function total(sums: Sums, names: readonly string[]): bigint {
  return names.reduce((sum, name) => sum + (sums[name] ?? 0n), 0n)
}

/** Null without anything to divide by. */
function quotient(part: bigint, whole: bigint, decimals: number): string | null {
  if (whole <= 0n) return null
  return String(Number((Number(part) / Number(whole)).toFixed(decimals)))
}

/** Adds what is in one to the other. */
export function addSums(to: Record<string, bigint>, more: Sums, times: 1n | -1n = 1n): void {
  for (const [name, value] of Object.entries(more)) to[name] = (to[name] ?? 0n) + times * value
}
