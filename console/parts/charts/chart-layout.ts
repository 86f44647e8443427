import { formatShort } from '../text/format.ts'
import { type Axis, type AxisUnit, axisFor } from './axis.ts'

/** `at` is RFC 3339; each other name is the value of a series. */
export type ChartPoint = { readonly at: string } & Readonly<Record<string, string | number>>

export interface ChartSeries {
  /** The field of its values in the points. */
  readonly name: string
  readonly label?: string
  /** Assigned in turn if omitted. */
  readonly colour?: string
  /** Series with the same stack are on top of each other; without `isStacked`. */
  readonly stackId?: string
  readonly strokeDasharray?: string
}

export type ChartSpan = 'hour' | 'day' | 'week' | 'month'

export interface UsageChartProps {
  /** Accessible name: "Spend by model, per day". */
  readonly label: string
  readonly points: readonly ChartPoint[]
  readonly series: readonly ChartSeries[]
  readonly kind?: 'area' | 'bar' | 'line'
  readonly granularity?: ChartSpan
  /** Stacks the series, for parts of a whole. */
  readonly isStacked?: boolean
  /** What the values are, for the labels of the axis; counts by default. */
  readonly unit?: AxisUnit
  /** For tooltips. */
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
  const axis = axisOf(props)
  const series = props.series.map(({ name, label, colour, stackId, strokeDasharray }, index) => ({
    name,
    label: label ?? name,
    color: colour ?? colourOf(index),
    ...(stackId !== undefined && { stackId }),
    ...(strokeDasharray !== undefined && { strokeDasharray }),
  }))
  return {
    h: height ?? 0,
    data: points.map((point) => ({ ...point, at: labelOf(point.at, granularity, needsYear(points)) })),
    dataKey: 'at',
    series,
    valueFormatter: formatValue,
    withLegend: series.length > 1,
    // Without this, the legend is sorted by name and "Others" comes first.
    legendProps: { verticalAlign: 'bottom' as const, itemSorter: null },
    gridAxis: 'x' as const,
    tickLine: 'none' as const,
    // Every second or third label rather than an uneven choice.
    xAxisProps: { minTickGap: 24, tickMargin: 8, interval: 'equidistantPreserveStart' as const },
    yAxisProps: {
      width: axis.width,
      ticks: [...axis.ticks],
      domain: [...axis.domain],
      interval: 0 as const,
      tickFormatter: axis.format,
    },
  }
}

/** The colour of the series at this place. */
export function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] ?? 'teal.6'
}

function axisOf({ points, series, isStacked = false, unit = 'count' }: UsageChartProps): Axis {
  let [smallest, largest] = [0, 0]
  for (const point of points) {
    const stacks = new Map<string, [below: number, above: number]>()
    for (const { name, stackId = isStacked ? 'all' : name } of series) {
      const value = Number(point[name] ?? 0)
      const [below, above] = stacks.get(stackId) ?? [0, 0]
      stacks.set(stackId, [below + Math.min(value, 0), above + Math.max(value, 0)])
    }
    for (const [below, above] of stacks.values()) {
      smallest = Math.min(smallest, below)
      largest = Math.max(largest, above)
    }
  }
  return axisFor(unit, smallest, largest)
}

const MONTHS_WITHOUT_YEAR_MS = 300 * 86_400_000

/** Days of two years would have the same label. */
function needsYear(points: readonly ChartPoint[]): boolean {
  const [first, last] = [points[0]?.at, points.at(-1)?.at]
  return (
    first !== undefined && last !== undefined && Date.parse(last) - Date.parse(first) > MONTHS_WITHOUT_YEAR_MS
  )
}

function labelOf(at: string, granularity: ChartSpan, hasYear: boolean): string {
  const time = new Date(at)
  const year = hasYear ? { year: 'numeric' as const } : {}
  if (granularity === 'month')
    return time.toLocaleDateString('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })
  // Days are UTC days, as counted by the gateway. Hours are in the viewer's time zone.
  if (granularity !== 'hour')
    return time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC', ...year })
  return time.toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
}
