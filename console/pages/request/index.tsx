import { Group, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { IconSearchOff } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { ApiError } from '../../api/api-error.ts'
import { useSettlement } from '../../api/settlements.ts'
import type { Settlement } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { EmptyState } from '../../parts/layout/empty-state.tsx'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { countUsage } from '../../parts/prices/usage-words.ts'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { formatDuration } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'
import { BodiesPanel } from './bodies.tsx'
import { Notes, PricePanel } from './price-panel.tsx'
import { Figures, Heading, RequestFacts, UsageFacts } from './request-facts.tsx'
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
        heading={<Heading settlement={query.data} />}
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
  const { usage, duration_ms } = settlement
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Figures settlement={settlement} costLabel="Charged" counted={countUsage(usage)} />
      </SimpleGrid>
      <Notes settlement={settlement} />
      <Panel title="Attempts" description={`${formatDuration(duration_ms)} from start to end.`}>
        <Timeline settlement={settlement} />
      </Panel>
      <PricePanel
        settlement={settlement}
        description="Each kind of token and unit at its price when the request arrived. Later changes do not affect it."
      />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Panel title="Usage">
          <UsageFacts settlement={settlement} />
        </Panel>
        <Panel title="About">
          <RequestFacts settlement={settlement} />
        </Panel>
      </SimpleGrid>
      <BodiesPanel settlement={settlement} />
    </>
  )
}

function Unknown({ id }: { readonly id: string }) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title="Request not found"
      isWholePage
      action={<TextLink to="/requests">All requests</TextLink>}
    >
      <code className="request-id">{id}</code> is not a request of this account. It may belong to another
      account of yours, still be running, have been{' '}
      <TextLink inherit underline="always" to="/requests" search={{ view: 'refused', q: id }}>
        refused on arrival
      </TextLink>
      , or be older than the records that are kept.
    </EmptyState>
  )
}
