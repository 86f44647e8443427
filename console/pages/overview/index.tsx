import { Button, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { accountPath, api } from '../../api/client.ts'
import { useOverview } from '../../api/overview.ts'
import type { Overview } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { RangePicker, rangeOf } from '../../parts/range-picker.tsx'
import { AlertsPanel } from './alerts-panel.tsx'
import { Figures } from './figures.tsx'
import { TierPanel } from './tier-panel.tsx'
import { UsagePanel } from './usage-panel.tsx'

const FirstSteps = lazy(() => import('./first-steps.tsx').then((part) => ({ default: part.FirstSteps })))

export function Page() {
  const account = useAccount()
  const [{ span }, setState] = useUrlState({ span: '7d' })
  const overview = useOverview(account.id, rangeOf(span))
  const isNew = useIsNew(account.id, overview.data)
  return (
    <>
      <PageHeader
        title="Overview"
        description={`What ${overview.data?.account.name ?? account.name} spends, and on what.`}
        actions={
          <>
            <RangePicker span={span} onChange={(value) => setState({ span: value })} />
            <Button
              leftSection={<IconPlus size={16} aria-hidden />}
              renderRoot={(props) => <Link to="/keys" search={{ create: 'yes' }} {...props} />}
            >
              Create key
            </Button>
          </>
        }
      />
      <Stack gap="lg">
        <ErrorNotice error={overview.error} onRetry={() => void overview.refetch()} />
        {isNew && overview.data !== undefined && (
          <Suspense>
            <FirstSteps account={account.id} overview={overview.data} />
          </Suspense>
        )}
        <Figures overview={overview.data} />
        {!isNew && <UsagePanel account={account.id} />}
        <div className="overview-foot">
          <TierPanel overview={overview.data} />
          <AlertsPanel alerts={overview.data?.alerts} />
        </div>
      </Stack>
    </>
  )
}

/** Whether no request was ever made, whatever the range that is looked at. */
function useIsNew(account: string, overview: Overview | undefined): boolean {
  const isQuiet = overview?.totals.requests === 0
  const query = { limit: 1 }
  const latest = useQuery({
    queryKey: [account, 'settlements', 'latest'],
    queryFn: ({ signal }) =>
      api.get<{ data: unknown[] }>(accountPath(account, '/settlements'), { query, signal }),
    enabled: isQuiet,
  })
  return isQuiet && latest.data?.data.length === 0
}
