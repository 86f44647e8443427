import type { HistogramName } from '../../src/edges/telemetry/metrics/metric-table.ts'
import type { Query } from './dashboard.ts'

export const ON_JOB = 'job=~"$job"'
export const ON_MODEL = 'job=~"$job",model=~"$model"'

/** A quantile of a histogram. */
export function quantile(
  share: number,
  histogram: HistogramName,
  { on, by }: { readonly on: string; readonly by: string },
): string {
  const grouped = by === '' ? 'le' : `${by}, le`
  return `histogram_quantile(${share}, sum by (${grouped}) (rate(${histogram}_bucket{${on}}[$__rate_interval])))`
}

/** What is added per second, by a label. */
export function rateBy(counter: string, label: string, on = ON_JOB): Query {
  return { expr: `sum by (${label}) (rate(${counter}{${on}}[$__rate_interval]))`, legend: `{{${label}}}` }
}

/** What was added in the range that is shown, by a label. */
export function increaseBy(counter: string, label: string, on = ON_JOB): Query {
  return { expr: `sum by (${label}) (increase(${counter}{${on}}[$__range]))`, legend: `{{${label}}}` }
}

/** A gauge, by a label. */
export function sumBy(gauge: string, label: string, on = ON_JOB): Query {
  return { expr: `sum by (${label}) (${gauge}{${on}})`, legend: `{{${label}}}` }
}
