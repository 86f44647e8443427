import { Skeleton, VisuallyHidden } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { UsageChartProps } from './chart-layout.ts'

export type { ChartPoint, ChartSeries, UsageChartProps } from './chart-layout.ts'

// Chart code is large, so each kind is loaded on first use.
const Bars = lazy(() => import('./chart-bars.tsx').then((part) => ({ default: part.ChartBars })))
const Areas = lazy(() => import('./chart-areas.tsx').then((part) => ({ default: part.ChartAreas })))

const USUAL_HEIGHT = 260

/** A chart over time. */
export function UsageChart(props: UsageChartProps) {
  const { label, kind = 'area', height = USUAL_HEIGHT } = props
  const Drawing = kind === 'bar' ? Bars : Areas
  return (
    <figure className="chart" aria-label={label}>
      <Suspense fallback={<Skeleton height={height} />}>
        <Drawing {...props} height={height} />
      </Suspense>
      <VisuallyHidden component="figcaption">{label}</VisuallyHidden>
    </figure>
  )
}
