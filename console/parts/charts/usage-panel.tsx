import { Button, NativeSelect } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { UsageRow } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ErrorNotice } from '../layout/error-notice.tsx'
import { Panel, type PanelProps } from '../layout/panel.tsx'
import { explainMetric, isMetric, METRICS, MetricChart, type MetricChartProps } from './metric-chart.tsx'
import { RangePicker, rangeOf } from './range-picker.tsx'

/** The chosen metric and range, both stored in the address. */
export function useMetric() {
  const [state, setState] = useUrlState({ span: '7d', metric: 'spend' })
  const metric = isMetric(state.metric) ? state.metric : 'spend'
  const { label } = METRICS.find(({ value }) => value === metric) ?? { label: 'Usage' }
  return {
    metric,
    label,
    range: rangeOf(state.span),
    choice: <MetricChoice metric={metric} onChange={(value) => setState({ metric: value })} />,
    span: state.span,
    spanChoice: <RangePicker isSmall span={state.span} onChange={(span) => setState({ span })} />,
  }
}

interface MetricChoiceProps {
  readonly metric: string
  readonly onChange: (metric: string) => void
}

/** Selects the metric: buttons on wide screens, a select on narrow ones. */
function MetricChoice({ metric, onChange }: MetricChoiceProps) {
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

export interface UsagePanelProps
  extends Omit<MetricChartProps, 'rows'>,
    Required<Pick<PanelProps, 'title' | 'actions'>> {
  readonly usage: UseQueryResult<{ readonly data: readonly UsageRow[] }>
  /** Defaults to all rows of the response. */
  readonly rows?: readonly UsageRow[] | undefined
  /** Defaults to the meaning of the metric. */
  readonly description?: ReactNode
}

export function UsagePanel({ title, description, actions, usage, ...chart }: UsagePanelProps) {
  return (
    <Panel title={title} description={description ?? explainMetric(chart.metric)} actions={actions}>
      <ErrorNotice error={usage.error} onRetry={() => void usage.refetch()} />
      {usage.error === null && <MetricChart {...chart} rows={chart.rows ?? usage.data?.data} />}
    </Panel>
  )
}
