import { Anchor, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { OPERATOR, useAccountNames } from '../../api/operator.ts'
import type { Settlement } from '../../api/wire.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { formatDuration, formatNumber } from '../../parts/format.ts'
import { Money } from '../../parts/money.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { Facts, Panel } from '../../parts/panel.tsx'
import { StatCard } from '../../parts/stat-card.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'
import { Arithmetic } from '../request/arithmetic.tsx'
import { UsageFacts } from '../request/request-facts.tsx'
import { Timeline } from '../request/timeline.tsx'

const BACK = { to: '/operator/settlements', label: 'All requests' } as const

export function Page() {
  const { id = '' } = useParams({ strict: false })
  const query = useQuery({
    queryKey: ['operator', 'settlements', id],
    queryFn: ({ signal }) =>
      api.get<Settlement>(`${OPERATOR}/settlements/${encodeURIComponent(id)}`, { signal }),
    // It never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data } = query
  return (
    <>
      <PageHeader
        title="Request"
        heading={
          <Group gap="sm">
            <span>{data?.model ?? 'Request'}</span>
            {data !== undefined && <OutcomeBadge outcome={data.outcome} />}
          </Group>
        }
        description={
          <Group gap={4}>
            <span className="mono">{id}</span>
            <CopyButton value={id} what="the request id" />
          </Group>
        }
        back={BACK}
      />
      <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      {query.isPending && <Skeleton height={420} />}
      {data !== undefined && <Details settlement={data} />}
    </>
  )
}

function Details({ settlement }: { readonly settlement: Settlement }) {
  const { usage, amount, attempts, first_byte_ms, duration_ms } = settlement
  const tokens = usage.input + usage.cache_read + usage.cache_write + usage.output
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <StatCard label="Charged" value={<Money amount={amount} />} />
        <StatCard label="Tokens" value={formatNumber(tokens)} />
        <StatCard label="First byte" value={first_byte_ms === null ? '–' : formatDuration(first_byte_ms)} />
        <StatCard
          label="Duration"
          value={formatDuration(duration_ms)}
          hint={attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}
        />
      </SimpleGrid>
      <Panel title="Who and where">
        <WhoFacts settlement={settlement} />
      </Panel>
      <Panel title="Attempts" description="Each try at a supplier: why it was chosen, and what came of it.">
        <Timeline settlement={settlement} />
        <AttemptCredentials settlement={settlement} />
      </Panel>
      <Panel
        title="Price"
        description="At the price of the moment it was settled; later changes alter nothing."
        isFlush
      >
        <div className="arithmetic-box">
          <Arithmetic settlement={settlement} />
        </div>
      </Panel>
      <Panel title="Usage">
        <UsageFacts settlement={settlement} />
      </Panel>
    </Stack>
  )
}

/** Customers are not told of credentials, so the timeline they see as well leaves them out. */
function AttemptCredentials({ settlement: { attempts } }: { readonly settlement: Settlement }) {
  if (attempts.length === 0) return null
  const told = attempts.map(({ credential_id }, index) => `${index + 1}. ${credential_id ?? 'none'}`)
  return (
    <Text size="sm" c="dimmed" mt="md">
      Credentials: <span className="mono">{told.join(', ')}</span>
    </Text>
  )
}

function WhoFacts({ settlement }: { readonly settlement: Settlement }) {
  const nameOf = useAccountNames()
  const { account_id, key_id, model, supplier, credential_id } = settlement
  return (
    <Facts
      facts={[
        {
          label: 'Account',
          value: (
            <Anchor
              inherit
              renderRoot={(props) => (
                <Link to="/operator/accounts/$id" params={{ id: account_id }} {...props} />
              )}
            >
              {nameOf(account_id)}
            </Anchor>
          ),
        },
        {
          label: 'Key',
          value: (
            <Anchor
              inherit
              className="mono"
              renderRoot={(props) => (
                <Link to="/keys/$id" params={{ id: key_id }} search={{ account: account_id }} {...props} />
              )}
            >
              {key_id}
            </Anchor>
          ),
        },
        {
          label: 'Model',
          value: (
            <Anchor
              inherit
              renderRoot={(props) => <Link to="/operator/models/$id" params={{ id: model }} {...props} />}
            >
              {model}
            </Anchor>
          ),
        },
        { label: 'Supplier', value: <SupplierLink supplier={supplier} /> },
        { label: 'Credential', value: <span className="mono">{credential_id ?? 'None'}</span> },
        { label: 'Client spoke', value: settlement.client_format },
        { label: 'Supplier spoke', value: settlement.supplier_format ?? 'Nothing' },
        { label: 'Streamed', value: settlement.stream ? 'Yes' : 'No' },
        { label: 'Began', value: <TimeStamp at={settlement.started_at} /> },
      ]}
    />
  )
}

function SupplierLink({ supplier }: { readonly supplier: string | null }) {
  if (supplier === null) return <>None served it</>
  return (
    <Anchor
      inherit
      renderRoot={(props) => <Link to="/operator/suppliers/$id" params={{ id: supplier }} {...props} />}
    >
      {supplier}
    </Anchor>
  )
}
