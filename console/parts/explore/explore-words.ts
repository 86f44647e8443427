import type { EXPLORE_GROUPS, EXPLORE_METRICS, EXPLORE_SPANS } from '../../../src/vocabulary/words.ts'
import type { AxisUnit } from '../charts/axis.ts'
import { CURRENCY } from '../text/currency.ts'
import { formatDuration, formatMoney, formatNumber, formatShare } from '../text/format.ts'

export type Metric = (typeof EXPLORE_METRICS)[number]
export type Group = (typeof EXPLORE_GROUPS)[number]
export type Per = (typeof EXPLORE_SPANS)[number]

interface MetricWords {
  readonly label: string
  readonly explanation: string
  /** Counted by account, model and supplier only. */
  readonly isMeasured?: true
}

export const METRIC_WORDS: Readonly<Record<Metric, MetricWords>> = {
  spend: { label: 'Spend', explanation: `What was paid, in ${CURRENCY}` },
  cost: { label: 'Cost', explanation: `What suppliers charge, in ${CURRENCY}` },
  margin: { label: 'Margin', explanation: `Spend less cost, in ${CURRENCY}` },
  requests: { label: 'Requests', explanation: 'Requests with any outcome' },
  tokens: { label: 'Tokens', explanation: 'Input, cached and output tokens together' },
  input_tokens: { label: 'Input tokens', explanation: 'Tokens of prompts, cached ones included' },
  output_tokens: { label: 'Output tokens', explanation: 'Tokens of answers, reasoning included' },
  errors: { label: 'Errors', explanation: 'Requests that failed' },
  error_rate: { label: 'Error rate', explanation: 'The share of requests that failed' },
  cache_hit_rate: {
    label: 'Cache hit rate',
    explanation: 'The share of prompt tokens that came from a cache',
  },
  saved: {
    label: 'Saved by caching',
    explanation: `What the same prompts would have cost more without a cache, in ${CURRENCY}`,
    isMeasured: true,
  },
  tokens_per_second: {
    label: 'Tokens per second',
    explanation: 'Output tokens of streams per second after the first byte',
    isMeasured: true,
  },
  first_byte_p50: percentile('First byte', 'p50', 'half'),
  first_byte_p95: percentile('First byte', 'p95', '95%'),
  first_byte_p99: percentile('First byte', 'p99', '99%'),
  duration_p50: percentile('Duration', 'p50', 'half'),
  duration_p95: percentile('Duration', 'p95', '95%'),
  duration_p99: percentile('Duration', 'p99', '99%'),
}

function percentile(what: 'First byte' | 'Duration', name: string, share: string): MetricWords {
  const ended = what === 'First byte' ? 'got their first byte' : 'were complete'
  return {
    label: `${what}, ${name}`,
    explanation: `The time within which ${share} of the requests ${ended}`,
    isMeasured: true,
  }
}

export const GROUP_WORDS: Readonly<Record<Group, string>> = {
  none: 'Nothing',
  model: 'Model',
  key: 'Key',
  supplier: 'Supplier',
  session: 'Session',
  agent: 'Agent',
  code: 'Error code',
  account: 'Account',
}

export const PER_WORDS: Readonly<Record<Per, string>> = {
  hour: 'Hour',
  day: 'Day (UTC)',
  week: 'Week (UTC)',
  month: 'Month (UTC)',
}

/** Whether a metric can be told apart by this. */
export function canGroup(metric: Metric, group: Group): boolean {
  if (group === 'code') return metric === 'errors' || metric === 'error_rate'
  const isFine = group === 'key' || group === 'session' || group === 'agent'
  return !(isFine && METRIC_WORDS[metric].isMeasured)
}

/** A value as people read it. */
export function formatValue(unit: AxisUnit, value: string | null): string {
  if (value === null) return '–'
  switch (unit) {
    case 'amount':
      return formatMoney(value)
    case 'count':
      return formatNumber(Number(value))
    case 'share':
      return formatShare(Number(value))
    case 'milliseconds':
      return formatDuration(Number(value))
    case 'per_second':
      return `${Number(value).toFixed(1)} / s`
  }
}

/** `+12%`, `−3%`, `×500`; null where there is nothing to compare with. */
export function describeChange(now: string | null, before: string | null): string | null {
  if (now === null || before === null || Number(before) === 0) return null
  const change = (Number(now) - Number(before)) / Math.abs(Number(before))
  const percent = Math.abs(change * 100)
  if (percent >= 1_000) return `×${formatNumber(Number(now) / Number(before))}`
  return `${change < 0 ? '−' : '+'}${percent.toFixed(percent < 10 ? 1 : 0)}%`
}

/** `18 Nov 2026, 14:00` for an hour (in the viewer's time zone), `18 Nov 2026`, `Nov 2026`. */
export function formatPeriod(at: string, per: Per): string {
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const
  const time = new Date(at)
  if (per === 'hour') return time.toLocaleString('en-GB', { ...day, hour: '2-digit', minute: '2-digit' })
  if (per === 'month')
    return time.toLocaleDateString('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })
  return time.toLocaleDateString('en-GB', { ...day, timeZone: 'UTC' })
}
