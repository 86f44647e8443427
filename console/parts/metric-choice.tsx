import { Button, NativeSelect } from '@mantine/core'
import { METRICS } from './metric-chart.tsx'
import type { Metric } from './usage-points.ts'

export interface MetricChoiceProps {
  readonly metric: Metric
  readonly onChange: (metric: string) => void
}

/** Which figure a chart shows: side by side where there is room, else as a list to choose from. */
export function MetricChoice({ metric, onChange }: MetricChoiceProps) {
  return (
    <>
      <Button.Group aria-label="What to show" className="metric-choice">
        {METRICS.map(({ value, label }) => (
          <Button
            key={value}
            size="xs"
            variant={value === metric ? 'light' : 'default'}
            aria-pressed={value === metric}
            onClick={() => onChange(value)}
          >
            {label}
          </Button>
        ))}
      </Button.Group>
      <NativeSelect
        aria-label="What to show"
        size="xs"
        className="metric-choice-small"
        value={metric}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={[...METRICS]}
      />
    </>
  )
}
