import { useUsage } from '../../api/usage.ts'
import type { ApiKey } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { formatNumber, formatShare, formatShort } from '../../parts/format.ts'
import { explainMetric, isMetric, METRICS, MetricChart } from '../../parts/metric-chart.tsx'
import { MetricChoice } from '../../parts/metric-choice.tsx'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RangePicker, rangeOf } from '../../parts/range-picker.tsx'
import { sumUsage, type UsageSum } from '../../parts/usage-points.ts'

interface KeyUsageProps {
  readonly account: string
  readonly apiKey: ApiKey
}

/** What the key used over time. */
export function KeyUsage({ account, apiKey }: KeyUsageProps) {
  const [state, setState] = useUrlState({ span: '7d', metric: 'spend' })
  const metric = isMetric(state.metric) ? state.metric : 'spend'
  const range = rangeOf(state.span)
  const usage = useUsage(account, { ...range, group_by: 'key' })
  const rows = usage.data?.data.filter(({ group }) => group === apiKey.id)
  const total = rows && sumUsage(rows)
  return (
    <Panel
      title="Usage"
      description={total === undefined ? explainMetric(metric) : <Total total={total} />}
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
          label={`${METRICS.find(({ value }) => value === metric)?.label} of ${apiKey.name}, per ${range.granularity}`}
          rows={rows}
          spell={range}
          metric={metric}
          nameOf={() => apiKey.name}
          height={240}
        />
      )}
    </Panel>
  )
}

function Total({ total }: { readonly total: UsageSum }) {
  return (
    <>
      <Money amount={total.amount} /> · {formatNumber(total.requests)} requests · {formatShort(total.tokens)}{' '}
      tokens · {formatShare(total.requests === 0 ? 0 : total.failed / total.requests)} errors
    </>
  )
}
