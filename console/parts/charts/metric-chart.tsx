import { Center, Skeleton, Text } from '@mantine/core'
import type { RefusalTotal, UsageRow } from '../../api/wire.ts'
import { CURRENCY } from '../text/currency.ts'
import { formatDuration, formatRoughMoney, formatShort } from '../text/format.ts'
import type { AxisUnit } from './axis.ts'
import { UsageChart } from './usage-chart.tsx'
import { chartUsage, type Metric, type Spell } from './usage-points.ts'

export const METRICS: readonly { readonly value: Metric; readonly label: string }[] = [
  { value: 'spend', label: 'Spend' },
  { value: 'requests', label: 'Requests' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'errors', label: 'Errors' },
  { value: 'latency', label: 'Latency' },
]

const EXPLANATIONS: Readonly<Record<Metric, string>> = {
  spend: CURRENCY,
  requests: 'Requests with any outcome',
  tokens: 'Input, cached and output tokens together',
  errors: 'Requests that failed, and those refused on arrival, which are counted for 14 days',
  latency: 'Average time to the first byte',
}

export function isMetric(text: string): text is Metric {
  return text in EXPLANATIONS
}

export function explainMetric(metric: Metric): string {
  return EXPLANATIONS[metric]
}

export interface MetricChartProps {
  /** Names the chart for those who cannot see it. */
  readonly label: string
  /** Undefined while loading. */
  readonly rows: readonly UsageRow[] | undefined
  readonly spell: Spell
  readonly metric: Metric
  readonly nameOf: (group: string | null) => string
  readonly refusals?: readonly RefusalTotal[] | undefined
  readonly height?: number
}

const USUAL_HEIGHT = 300

/** One metric of the usage over time, by group. */
export function MetricChart(props: MetricChartProps) {
  const { label, rows, spell, metric, height = USUAL_HEIGHT } = props
  if (rows === undefined) return <Skeleton height={height} />
  const { points, series } = chartUsage({ ...props, rows })
  if (series.length === 0) {
    return (
      <Center h={height}>
        <Text c="dimmed" size="sm">
          No usage in this time range. Choose a longer one to look further back.
        </Text>
      </Center>
    )
  }
  return (
    <UsageChart
      label={label}
      points={points}
      series={series}
      granularity={spell.granularity}
      kind={metric === 'latency' ? 'line' : 'bar'}
      isStacked={metric !== 'latency'}
      formatValue={FORMATS[metric]}
      unit={UNITS[metric]}
      height={height}
    />
  )
}

const UNITS: Readonly<Record<Metric, AxisUnit>> = {
  spend: 'amount',
  requests: 'count',
  tokens: 'count',
  errors: 'count',
  latency: 'milliseconds',
}

const FORMATS: Readonly<Record<Metric, (value: number) => string>> = {
  spend: formatRoughMoney,
  requests: formatShort,
  tokens: formatShort,
  errors: formatShort,
  latency: formatDuration,
}
