import { SegmentedControl, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getQuery } from '../../api/client.ts'
import { OPERATOR } from '../../api/operator.ts'
import type { Dashboard } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Attention } from './attention.tsx'
import { Capacity } from './capacity.tsx'
import { Charts } from './charts.tsx'
import { Figures } from './figures.tsx'
import { SupplierTable } from './supplier-table.tsx'
import { TopAccounts } from './top-accounts.tsx'

const EVERY_MS = 15_000

const RANGES = [
  { value: 'day', label: '24 hours' },
  { value: 'week', label: '7 days' },
]

/** The first page of an operator: what needs attention, and where to look. */
export function Page() {
  const [{ range }, setState] = useUrlState({ range: 'day' })
  const wanted = range === 'week' ? 'week' : 'day'
  const { data, error, refetch } = useDashboard(wanted)
  return (
    <>
      <PageHeader
        title="Dashboard"
        description="All accounts together. Updated every 15 seconds."
        actions={
          <SegmentedControl
            aria-label="Time range"
            data={RANGES}
            value={wanted}
            onChange={(value) => setState({ range: value })}
          />
        }
      />
      <Stack gap="lg">
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        <Attention dashboard={data} />
        <Figures dashboard={data} />
        <Charts dashboard={data} />
        <SupplierTable dashboard={data} />
        <div className="dashboard-pair">
          <TopAccounts dashboard={data} />
          <Capacity dashboard={data} />
        </div>
      </Stack>
    </>
  )
}

function useDashboard(range: 'day' | 'week') {
  return useQuery({
    ...getQuery<Dashboard>(['operator', 'dashboard', range], `${OPERATOR}/dashboard`, { range }),
    refetchInterval: (query) => (query.state.error === null ? EVERY_MS : false),
    placeholderData: keepPreviousData,
  })
}

export interface DashboardProps {
  readonly dashboard: Dashboard | undefined
}
