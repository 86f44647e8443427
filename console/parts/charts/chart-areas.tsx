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
      // An area chart without a fill: Mantine's line chart would add 4 KB.
      fillOpacity={props.kind === 'line' ? 0 : 0.18}
    />
  )
}
