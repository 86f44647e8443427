import { Box, Button, SegmentedControl, SimpleGrid, Text } from '@mantine/core'
import { IconActivity, IconDownload } from '@tabler/icons-react'
import { withQuery } from '../../api/client.ts'
import { OPERATOR, useAccountNames } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import type { Settlement } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { TimeField } from '../../parts/forms/time-field.tsx'
import { OutcomeBadge } from '../../parts/layout/outcome-badge.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { AccountPicker, AnyKeyPicker, CatalogModelPicker } from '../../parts/pickers/operator-pickers.tsx'
import { summarizeUsage } from '../../parts/prices/usage-words.ts'
import { IdField } from '../../parts/tables/id-field.tsx'
import { Refusals } from '../../parts/tables/refusals.tsx'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatDuration } from '../../parts/text/format.ts'
import { Money } from '../../parts/text/money.tsx'
import { TimeBelow, TimeStamp } from '../../parts/text/time-stamp.tsx'

export function Page() {
  const [filters, setFilters] = useUrlState(NO_FILTERS)
  const parts = { filters, onChange: setFilters }
  return filters.view === 'refused' ? <RefusedRequests {...parts} /> : <SettledRequests {...parts} />
}

function ViewSwitch({ filters, onChange }: FiltersProps) {
  return (
    <SegmentedControl
      aria-label="Which requests"
      value={filters.view === 'refused' ? 'refused' : ''}
      onChange={(view) => onChange({ ...NO_FILTERS, customer: filters.customer, view })}
      data={[
        { value: '', label: 'Settled' },
        { value: 'refused', label: 'Refused' },
      ]}
    />
  )
}

function RefusedRequests({ filters, onChange }: FiltersProps) {
  const nameOf = useAccountNames()
  return (
    <>
      <PageHeader
        title="All requests"
        description="Requests that were refused before they were admitted. Those without a known key are only counted."
        actions={<ViewSwitch filters={filters} onChange={onChange} />}
      />
      <Refusals
        queryKey={['operator']}
        path={`${OPERATOR}/refusals`}
        filters={{ account_id: filters.customer }}
        filterBar={
          <Box px="lg" py="sm" maw={320}>
            <AccountPicker
              aria-label="Account"
              value={filters.customer}
              onChange={(customer) => onChange({ customer })}
            />
          </Box>
        }
        ownerHead="Account"
        ownerOf={({ account_id }) => nameOf(account_id)}
      />
    </>
  )
}

function SettledRequests({ filters, onChange: setFilters }: FiltersProps) {
  const { customer, key, model, session, agent, from, to } = filters
  const nameOf = useAccountNames()
  const list = useList<Settlement>(['operator', 'settlements'], `${OPERATOR}/settlements`, {
    account: customer,
    key,
    model,
    session,
    agent,
    from,
    to,
  })
  const isNarrowed = Object.values(filters).some((value) => value !== '')
  const clear = { label: 'Clear filters', onClick: () => setFilters(NO_FILTERS) }
  return (
    <>
      <PageHeader
        title="All requests"
        description="Settled requests of all accounts, newest first. Open one to see its attempts and price."
        actions={
          <>
            <ViewSwitch filters={filters} onChange={setFilters} />
            <Button
              variant="default"
              component="a"
              download
              leftSection={<IconDownload size={16} aria-hidden />}
              href={withQuery(`${OPERATOR}/exports/settlements`, {
                account_id: customer,
                key_id: key,
                model,
                session,
                agent,
                from,
                to,
                format: 'csv',
              })}
            >
              Export CSV
            </Button>
          </>
        }
      />
      <Filters filters={filters} onChange={setFilters} />
      <TablePanel
        label="Requests"
        list={list}
        columns={columnsOf(nameOf)}
        rowKey={({ request_id }) => request_id}
        rowLink={({ request_id: id }) => ({ to: '/operator/settlements/$id', params: { id } })}
        empty={isNarrowed ? { ...NO_MATCH, action: clear } : NONE}
      />
    </>
  )
}

function columnsOf(nameOf: (id: string) => string): readonly Column<Settlement>[] {
  return [
    {
      head: 'Account and model',
      cell: ({ account_id, model, started_at, outcome }) => (
        <span className="two-lines">
          {nameOf(account_id)}
          <Text span size="xs" c="dimmed" fw={400}>
            {model}
          </Text>
          <TimeBelow at={started_at} />
          <Box component="span" hiddenFrom="sm" mt={4}>
            <OutcomeBadge outcome={outcome} />
          </Box>
        </span>
      ),
    },
    { head: 'When', from: 'sm', cell: ({ started_at }) => <TimeStamp at={started_at} /> },
    { head: 'Outcome', from: 'sm', cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
    { head: 'Supplier', from: 'md', cell: ({ supplier }) => supplier ?? 'None' },
    {
      head: 'Usage',
      isNumeric: true,
      from: 'md',
      cell: ({ usage }) => summarizeUsage(usage),
    },
    { head: 'Duration', isNumeric: true, from: 'sm', cell: ({ duration_ms }) => formatDuration(duration_ms) },
    { head: CURRENCY, isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
  ]
}

const NONE = {
  icon: IconActivity,
  title: 'No requests yet',
  children: 'Admitted requests appear here once they are settled, including failed ones.',
}

const NO_MATCH = {
  icon: IconActivity,
  title: 'No matching requests',
  children: 'Remove a filter or choose a longer time range.',
}

/** `customer`, because `account` in the address is the viewer's own. */
const NO_FILTERS = { view: '', customer: '', key: '', model: '', session: '', agent: '', from: '', to: '' }
type SettlementFilters = typeof NO_FILTERS

interface FiltersProps {
  readonly filters: SettlementFilters
  readonly onChange: (change: Partial<SettlementFilters>) => void
}

function Filters({ filters, onChange }: FiltersProps) {
  const isNarrowed = Object.values(filters).some((value) => value !== '')
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" mb="md">
        <AccountPicker
          label="Account"
          value={filters.customer}
          onChange={(customer) => onChange({ customer, key: '' })}
        />
        <AnyKeyPicker
          label="Key"
          account={filters.customer}
          value={filters.key}
          onChange={(key) => onChange({ key })}
        />
        <CatalogModelPicker label="Model" value={filters.model} onChange={(model) => onChange({ model })} />
        <IdField
          label="Session"
          placeholder="All"
          value={filters.session}
          onChange={(session) => onChange({ session })}
        />
        <IdField
          label="Agent"
          placeholder="All"
          value={filters.agent}
          onChange={(agent) => onChange({ agent })}
        />
        <TimeField label="From" value={filters.from} onChange={(from) => onChange({ from })} />
        <TimeField label="Before" value={filters.to} onChange={(to) => onChange({ to })} />
      </SimpleGrid>
      {isNarrowed && (
        <Button variant="subtle" size="compact-sm" mb="sm" onClick={() => onChange(NO_FILTERS)}>
          Clear filters
        </Button>
      )}
    </>
  )
}
