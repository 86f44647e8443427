import { AreaChart } from '@mantine/charts'
import { layOutChart, type UsageChartProps } from './chart-layout.ts'

export function ChartAreas(props: UsageChartProps) {
  return (
    <AreaChart
      {...layOutChart(props)}
      type={props.isStacked ? 'stacked' : 'default'}
      curveType="monotone"
      withDots={false}
      strokeWidth={2}
      // A line is an area of which only the edge is seen; the kit's line chart would be 4 KB more to load.
      fillOpacity={props.kind === 'line' ? 0 : 0.18}
    />
  )
}
