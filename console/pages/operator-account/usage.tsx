import { NativeSelect, Skeleton } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { usageQuery } from '../../api/operator-lists.ts'
import type { OperatorAccount, UsagePoint } from '../../api/operator-shapes.ts'
import type { UsageRow } from '../../api/usage.ts'
import { useUrlState } from '../../app/url-state.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { formatMoney, formatShort } from '../../parts/format.ts'
import { Panel } from '../../parts/panel.tsx'
import { RangePicker, rangeOf } from '../../parts/range-picker.tsx'
import { UsageChart } from '../../parts/usage-chart.tsx'
import { chartUsage } from '../../parts/usage-points.ts'

const METRICS = {
  spend: { label: 'Spend', format: (value: number) => formatMoney(String(Number(value.toFixed(9)))) },
  requests: { label: 'Requests', format: formatShort },
  tokens: { label: 'Tokens', format: formatShort },
  errors: { label: 'Failures', format: formatShort },
} as const

type Shown = keyof typeof METRICS

const CHART_HEIGHT = 260

export function Usage({ account }: { readonly account: OperatorAccount }) {
  const [{ span, show }, setState] = useUrlState({ span: '7d', show: 'spend' })
  const metric: Shown = show in METRICS ? (show as Shown) : 'spend'
  const { from, to, granularity } = rangeOf(span)
  const usage = useQuery({
    ...usageQuery({ account_id: account.id, from, to, granularity }),
    placeholderData: keepPreviousData,
  })
  const chart = useMemo(
    () =>
      chartUsage({
        rows: (usage.data?.data ?? []).map(rowOf),
        spell: { from, to, granularity },
        metric,
        nameOf: (model) => model ?? 'none',
      }),
    [usage.data, from, to, granularity, metric],
  )
  return (
    <Panel
      title={`${METRICS[metric].label} by model`}
      actions={
        <>
          <NativeSelect
            aria-label="Figure"
            value={metric}
            onChange={(event) => setState({ show: event.currentTarget.value })}
            data={Object.entries(METRICS).map(([value, { label }]) => ({ value, label }))}
          />
          <RangePicker span={span} onChange={(chosen) => setState({ span: chosen })} />
        </>
      }
    >
      <ErrorNotice error={usage.error} onRetry={() => void usage.refetch()} />
      {usage.isPending && <Skeleton height={CHART_HEIGHT} />}
      {usage.data?.data.length === 0 && (
        <EmptyState icon={IconChartBar} title="No request in this time">
          Choose a longer time, or wait for the first request with one of this account’s keys.
        </EmptyState>
      )}
      {chart.series.length > 0 && (
        <UsageChart
          label={`${METRICS[metric].label} of ${account.name} by model, per ${granularity}`}
          points={chart.points}
          series={chart.series}
          kind="bar"
          isStacked
          granularity={granularity}
          formatValue={METRICS[metric].format}
          height={CHART_HEIGHT}
        />
      )}
    </Panel>
  )
}

function rowOf({ starts_at, model, requests, outcomes, usage, amount }: UsagePoint): UsageRow {
  return {
    at: starts_at,
    group: model ?? null,
    requests,
    failed: requests - (outcomes.completed ?? 0) - (outcomes.client_left ?? 0),
    input: usage.input ?? 0,
    cache_read: usage.cache_read ?? 0,
    cache_write: usage.cache_write ?? 0,
    output: usage.output ?? 0,
    images: usage.images ?? 0,
    amount,
    first_byte_ms_avg: null,
    duration_ms_avg: null,
  }
}
