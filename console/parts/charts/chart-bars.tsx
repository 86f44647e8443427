import { BarChart } from '@mantine/charts'
import { layOutChart, type UsageChartProps } from './chart-layout.ts'

const WIDEST_BAR = 36

export function ChartBars(props: UsageChartProps) {
  return (
    <BarChart
      {...layOutChart(props)}
      type={props.isStacked ? 'stacked' : 'default'}
      maxBarWidth={WIDEST_BAR}
    />
  )
}
