import { Group, NativeSelect } from '@mantine/core'
import type { UsageGrouping } from '../../../src/gateway/ports/console.ts'
import { useKeys } from '../../api/keys.ts'
import { useUsage } from '../../api/usage.ts'
import type { ApiKey } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { explainMetric, isMetric, METRICS, MetricChart } from '../../parts/metric-chart.tsx'
import { MetricChoice } from '../../parts/metric-choice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { rangeOf } from '../../parts/range-picker.tsx'
import type { Metric } from '../../parts/usage-points.ts'
import { Breakdown } from './breakdown.tsx'

const GROUPINGS: readonly { readonly value: UsageGrouping; readonly label: string }[] = [
  { value: 'model', label: 'By model' },
  { value: 'key', label: 'By key' },
  { value: 'supplier', label: 'By supplier' },
  { value: 'none', label: 'All together' },
]

// Over longer times an hour is too thin to be seen.
const SPANS_WITH_HOURS = ['7d', '30d']

/** How usage developed, and what it is made of. */
export function UsagePanel({ account }: { readonly account: string }) {
  const [state, setState] = useUrlState({ span: '7d', by: 'model', metric: 'spend', per: '' })
  const grouping = GROUPINGS.find(({ value }) => value === state.by)?.value ?? 'model'
  const metric: Metric = isMetric(state.metric) ? state.metric : 'spend'
  const hasChoice = SPANS_WITH_HOURS.includes(state.span)
  const range = rangeOf(state.span)
  const spell = {
    ...range,
    granularity: hasChoice && state.per === 'hour' ? ('hour' as const) : range.granularity,
  }
  const usage = useUsage(account, { ...spell, group_by: grouping })
  const nameOf = useGroupNames(account, grouping)
  const { label } = METRICS.find(({ value }) => value === metric) ?? { label: 'Usage' }
  return (
    <>
      <Panel
        title="Usage"
        description={explainMetric(metric)}
        actions={
          <Group gap="xs">
            <MetricChoice metric={metric} onChange={(value) => setState({ metric: value })} />
            <NativeSelect
              aria-label="Told apart by"
              size="xs"
              value={grouping}
              onChange={(event) => setState({ by: event.currentTarget.value })}
              data={[...GROUPINGS]}
            />
            {hasChoice && (
              <NativeSelect
                aria-label="Step"
                size="xs"
                value={spell.granularity}
                onChange={(event) => setState({ per: event.currentTarget.value === 'hour' ? 'hour' : '' })}
                data={[
                  { value: 'hour', label: 'Hourly' },
                  { value: 'day', label: 'Daily (UTC)' },
                ]}
              />
            )}
          </Group>
        }
      >
        <ErrorNotice error={usage.error} onRetry={() => void usage.refetch()} />
        {usage.error === null && (
          <MetricChart
            label={`${label}, per ${spell.granularity}`}
            rows={usage.data?.data}
            spell={spell}
            metric={metric}
            nameOf={nameOf}
          />
        )}
      </Panel>
      {grouping !== 'none' && <Breakdown rows={usage.data?.data ?? []} grouping={grouping} nameOf={nameOf} />}
    </>
  )
}

/** Keys are told by their names; what no supplier served is said to be so. */
function useGroupNames(account: string, grouping: UsageGrouping): (group: string | null) => string {
  const { rows } = useKeys(account)
  const names = new Map(rows.map(({ id, name }: ApiKey) => [id, name]))
  return (group) => {
    if (grouping === 'none') return 'All'
    if (group === null || group === '') return grouping === 'supplier' ? 'No supplier' : 'Unknown'
    return grouping === 'key' ? (names.get(group) ?? group) : group
  }
}
