import { Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { getQuery } from '../../api/client.ts'
import { OPERATOR, useAccountNames, useAnyKeyNames } from '../../api/operator.ts'
import type { Settlement } from '../../api/wire.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Facts, Panel } from '../../parts/layout/panel.tsx'
import { describeFormat } from '../../parts/models/supply-words.ts'
import { PriceDetails } from '../../parts/prices/price-details.tsx'
import { countUsage } from '../../parts/prices/usage-words.ts'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { subtractAmounts } from '../../parts/text/exact-amount.ts'
import { formatShare } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { Money } from '../../parts/text/money.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'
import { Notes, PricePanel } from '../request/price-panel.tsx'
import { Figures, Heading, UsageFacts } from '../request/request-facts.tsx'
import { sessionFacts } from '../request/session-facts.tsx'
import { Timeline } from '../request/timeline.tsx'

const BACK = { to: '/operator/settlements', label: 'All requests' } as const

export function Page() {
  const { id = '' } = useParams({ strict: false })
  const path = `${OPERATOR}/settlements/${encodeURIComponent(id)}`
  const settlement = getQuery<Settlement>(['operator', 'settlements', id], path)
  // It never changes.
  const query = useQuery({ ...settlement, staleTime: Number.POSITIVE_INFINITY })
  const { data } = query
  return (
    <>
      <PageHeader
        title="Request"
        heading={<Heading settlement={data} />}
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
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <Figures settlement={settlement} costLabel="Charged" counted={countUsage(settlement.usage)} />
      </SimpleGrid>
      <Notes settlement={settlement} />
      <Panel title="About">
        <WhoFacts settlement={settlement} />
      </Panel>
      <Panel title="Attempts" description="Each attempt at a supplier, why it was chosen and how it ended.">
        <Timeline settlement={settlement} />
        <AttemptCredentials settlement={settlement} />
      </Panel>
      <PricePanel
        settlement={settlement}
        description="Each kind of token and unit at its price when the request arrived. Later changes do not affect it."
      />
      <Margin settlement={settlement} />
      <Panel title="Usage">
        <UsageFacts settlement={settlement} />
      </Panel>
    </Stack>
  )
}

/** What the supplier charges, and what is left of the price. */
function Margin({ settlement }: { readonly settlement: Settlement }) {
  const { amount, cost = '0', cost_rates: rates = null, price } = settlement
  if (price === null) return null
  const margin = subtractAmounts(amount, cost)
  const share = Number(amount) === 0 ? '' : ` (${formatShare(Number(margin) / Number(amount))})`
  return (
    <Panel
      title="Cost and margin"
      description={
        rates === null
          ? 'No rates of the supplier are set, so the cost equals the price.'
          : 'At the rates that the supplier charges.'
      }
      facts={[
        { label: 'Charged', value: <Money amount={amount} isExact /> },
        { label: 'Cost', value: <Money amount={cost} isExact /> },
        {
          label: 'Margin',
          value: (
            <>
              <Money amount={margin} isExact />
              {share}
            </>
          ),
        },
      ]}
    >
      {rates !== null && (
        <>
          <Title order={3} size="h6" mt="lg" mb={8}>
            Rates of the supplier
          </Title>
          <PriceDetails price={rates} />
        </>
      )}
    </Panel>
  )
}

/** Shown separately: customers share the timeline and must not see credentials. */
function AttemptCredentials({ settlement: { attempts } }: { readonly settlement: Settlement }) {
  if (attempts.length === 0) return null
  const list = attempts.map(({ credential_id }, index) => `${index + 1}. ${credential_id ?? 'none'}`)
  return (
    <Text size="sm" c="dimmed" mt="md">
      Credentials: <span className="mono">{list.join(', ')}</span>
    </Text>
  )
}

function WhoFacts({ settlement }: { readonly settlement: Settlement }) {
  const nameOf = useAccountNames()
  const keyNameOf = useAnyKeyNames()
  const { account_id, key_id, model, supplier, credential_id, supplier_format } = settlement
  return (
    <Facts
      facts={[
        {
          label: 'Account',
          value: (
            <TextLink inherit to="/operator/accounts/$id" params={{ id: account_id }}>
              {nameOf(account_id)}
            </TextLink>
          ),
        },
        {
          label: 'Key',
          value: (
            <TextLink inherit to="/keys/$id" params={{ id: key_id }} search={{ account: account_id }}>
              {keyNameOf(key_id)}
            </TextLink>
          ),
        },
        {
          label: 'Model',
          value: (
            <TextLink inherit to="/operator/models/$id" params={{ id: model }}>
              {model}
            </TextLink>
          ),
        },
        { label: 'Supplier', value: <SupplierLink supplier={supplier} /> },
        { label: 'Credential', value: <span className="mono">{credential_id ?? 'None'}</span> },
        { label: 'Client format', value: describeFormat(settlement.client_format) },
        {
          label: 'Supplier format',
          value: supplier_format === null ? 'None' : describeFormat(supplier_format),
        },
        ...sessionFacts(settlement, { to: '/operator/settlements', search: { customer: account_id } }),
        { label: 'Streamed', value: settlement.stream ? 'Yes' : 'No' },
        { label: 'Started', value: <TimeStamp at={settlement.started_at} /> },
      ]}
    />
  )
}

function SupplierLink({ supplier }: { readonly supplier: string | null }) {
  if (supplier === null) return <>None served it</>
  return (
    <TextLink inherit to="/operator/suppliers/$id" params={{ id: supplier }}>
      {supplier}
    </TextLink>
  )
}
