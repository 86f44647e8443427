import type { Explored, ExploredSeries } from '../../api/wire.ts'
import { colourOf } from '../charts/chart-layout.ts'
import { type ChartPoint, type ChartSeries, UsageChart } from '../charts/usage-chart.tsx'
import { formatValue } from './explore-words.ts'
import { shownSeries } from './export-view.ts'

export interface ExploreChartProps {
  readonly explored: Explored
  readonly kind: 'bars' | 'lines'
  readonly label: string
  readonly nameOf: (series: ExploredSeries) => string
}

const HEIGHT = 340

/** Values that can be added up are stacked; a share or a percentile of the whole is no sum of its parts. */
export function ExploreChart({ explored, kind, label, nameOf }: ExploreChartProps) {
  const { unit, periods, granularity } = explored
  const shown = shownSeries(explored)
  const isBar = kind === 'bars'
  const isSum = unit === 'amount' || unit === 'count'
  const isCompared = explored.periods_before.length > 0
  const series: ChartSeries[] = shown.map((each, index) => ({
    name: `s${index}`,
    label: nameOf(each),
    colour: each.rest ? 'gray.5' : colourOf(index),
    ...(isBar && isSum && { stackId: 'now' }),
  }))
  // Beside a stack, what was before is one bar. Lines have one each.
  const isOneBefore = isBar && isSum
  if (isCompared && isOneBefore)
    series.push({ name: 'before', label: 'Previous period', colour: 'gray.4', stackId: 'before' })
  if (isCompared && !isOneBefore) {
    for (const [index, each] of shown.entries()) {
      const colour = isBar ? 'gray.4' : colourOf(index)
      // The legend shows colours only, and a line before has the colour of its group.
      const label = `${nameOf(each)}, before${isBar ? '' : ' (dashed)'}`
      series.push({ name: `b${index}`, label, colour, strokeDasharray: '4 4' })
    }
  }
  const points = periods.map((at, place): ChartPoint => {
    const values: Record<string, number> = {}
    const put = (name: string, value: string | null | undefined) => {
      if (value !== null && value !== undefined) values[name] = Number(value)
    }
    for (const [index, each] of shown.entries()) {
      put(`s${index}`, each.values[place])
      if (isCompared && !isOneBefore) put(`b${index}`, each.values_before[place])
    }
    if (isCompared && isOneBefore) put('before', explored.all.values_before[place])
    return { at, ...values } as ChartPoint
  })
  return (
    <UsageChart
      label={label}
      points={points}
      series={series}
      kind={isBar ? 'bar' : 'line'}
      granularity={granularity}
      unit={unit}
      formatValue={(value) => formatValue(unit, unit === 'amount' ? value.toFixed(9) : String(value))}
      height={HEIGHT}
    />
  )
}
