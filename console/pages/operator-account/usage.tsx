import { useUsage } from '../../api/usage.ts'
import type { Account } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { explainMetric, isMetric, MetricChart } from '../../parts/metric-chart.tsx'
import { MetricChoice } from '../../parts/metric-choice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RangePicker, rangeOf } from '../../parts/range-picker.tsx'

export function Usage({ account }: { readonly account: Account }) {
  const [state, setState] = useUrlState({ span: '7d', metric: 'spend' })
  const metric = isMetric(state.metric) ? state.metric : 'spend'
  const range = rangeOf(state.span)
  const usage = useUsage(account.id, { ...range, group_by: 'model' })
  return (
    <Panel
      title="Usage by model"
      description={explainMetric(metric)}
      actions={
        <>
          <MetricChoice metric={metric} onChange={(value) => setState({ metric: value })} />
          <RangePicker isSmall span={state.span} onChange={(span) => setState({ span })} />
        </>
      }
    >
      <ErrorNotice error={usage.error} onRetry={() => void usage.refetch()} />
      {usage.error === null && (
        <MetricChart
          label={`Usage of ${account.name} by model, per ${range.granularity}`}
          rows={usage.data?.data}
          spell={range}
          metric={metric}
          nameOf={(model) => model ?? 'none'}
          height={260}
        />
      )}
    </Panel>
  )
}
