import { Anchor, Group, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { IconSearchOff } from '@tabler/icons-react'
import { Link, useParams } from '@tanstack/react-router'
import { ApiError } from '../../api/api-error.ts'
import { useSettlement } from '../../api/settlements.ts'
import type { Settlement } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { formatDuration, formatNumber } from '../../parts/format.ts'
import { Money } from '../../parts/money.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatCard } from '../../parts/stat-card.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'
import { Arithmetic } from './arithmetic.tsx'
import { BodiesPanel } from './bodies.tsx'
import { RequestFacts, UsageFacts } from './request-facts.tsx'
import { Timeline } from './timeline.tsx'

const BACK = { to: '/requests', label: 'Requests' } as const

export function Page() {
  const account = useAccount()
  const { id = '' } = useParams({ strict: false })
  const query = useSettlement(account.id, id)
  if (query.error instanceof ApiError && query.error.status === 404) return <Unknown id={id} />
  return (
    <>
      <PageHeader
        title="Request"
        back={BACK}
        heading={
          <Group gap="sm">
            <span>{query.data?.model ?? 'Request'}</span>
            {query.data !== undefined && <OutcomeBadge outcome={query.data.outcome} />}
          </Group>
        }
        description={
          <Group gap={4}>
            <code className="request-id">{id}</code>
            <CopyButton value={id} what="the request id" />
            {query.data !== undefined && <TimeStamp at={query.data.started_at} />}
          </Group>
        }
      />
      <Stack gap="lg">
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
        {query.isPending && <Skeleton height={420} />}
        {query.data !== undefined && <Details settlement={query.data} />}
      </Stack>
    </>
  )
}

function Details({ settlement }: { readonly settlement: Settlement }) {
  const { usage, amount, attempts, first_byte_ms, duration_ms } = settlement
  const tokens = usage.input + usage.cache_read + usage.cache_write + usage.output
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <StatCard label="Cost" value={<Money amount={amount} />} />
        <StatCard
          label={usage.images > 0 ? 'Pictures' : 'Tokens'}
          value={formatNumber(usage.images > 0 ? usage.images : tokens)}
        />
        <StatCard label="First byte" value={first_byte_ms === null ? '–' : formatDuration(first_byte_ms)} />
        <StatCard
          label="Duration"
          value={formatDuration(duration_ms)}
          hint={attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}
        />
      </SimpleGrid>
      <Panel title="Attempts" description={`From its arrival to its end, ${formatDuration(duration_ms)}.`}>
        <Timeline settlement={settlement} />
      </Panel>
      <Panel
        title="Price"
        description="Each kind of token at its own price, as it was when the request came."
        isFlush
      >
        <div className="arithmetic-box">
          <Arithmetic settlement={settlement} />
        </div>
      </Panel>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Panel title="Usage">
          <UsageFacts settlement={settlement} />
        </Panel>
        <Panel title="About">
          <RequestFacts settlement={settlement} />
        </Panel>
      </SimpleGrid>
      <BodiesPanel id={settlement.request_id} />
    </>
  )
}

function Unknown({ id }: { readonly id: string }) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title="There is no such request here"
      isWholePage
      action={<Anchor renderRoot={(props) => <Link to="/requests" {...props} />}>All requests</Anchor>}
    >
      <code className="request-id">{id}</code> is not a request of this account. It may belong to another
      account of yours, still be under way, or be older than the records are kept.
    </EmptyState>
  )
}
