import { formatShort } from '../text/format.ts'

/** `at` is RFC 3339; each other name is the value of a series. */
export type ChartPoint = { readonly at: string } & Readonly<Record<string, string | number>>

export interface ChartSeries {
  /** The field of its values in the points. */
  readonly name: string
  readonly label?: string
  /** Assigned in turn if omitted. */
  readonly colour?: string
}

export interface UsageChartProps {
  /** Accessible name: "Spend by model, per day". */
  readonly label: string
  readonly points: readonly ChartPoint[]
  readonly series: readonly ChartSeries[]
  readonly kind?: 'area' | 'bar' | 'line'
  readonly granularity?: 'hour' | 'day'
  /** Stacks the series, for parts of a whole. */
  readonly isStacked?: boolean
  readonly formatValue?: (value: number) => string
  readonly height?: number
}

const COLOURS = [
  'teal.6',
  'indigo.5',
  'orange.5',
  'grape.5',
  'cyan.6',
  'pink.5',
  'lime.6',
  'blue.5',
  'yellow.6',
  'gray.5',
]

/** Properties shared by all Mantine charts. */
export function layOutChart(props: UsageChartProps) {
  const { points, granularity = 'day', height, formatValue = formatShort } = props
  const series = props.series.map(({ name, label, colour }, index) => ({
    name,
    label: label ?? name,
    color: colour ?? COLOURS[index % COLOURS.length] ?? 'teal.6',
  }))
  return {
    h: height ?? 0,
    data: points.map((point) => ({ ...point, at: labelOf(point.at, granularity) })),
    dataKey: 'at',
    series,
    valueFormatter: formatValue,
    withLegend: series.length > 1,
    // Without this, the legend is sorted by name and "Others" comes first.
    legendProps: { verticalAlign: 'bottom' as const, itemSorter: null },
    gridAxis: 'x' as const,
    tickLine: 'none' as const,
    xAxisProps: { minTickGap: 24, tickMargin: 8 },
    yAxisProps: { width: 56 },
  }
}

function labelOf(at: string, granularity: 'hour' | 'day'): string {
  const time = new Date(at)
  // Days are UTC days, as counted by the gateway. Hours are in the viewer's time zone.
  if (granularity === 'day')
    return time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return time.toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
}
