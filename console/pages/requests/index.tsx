import { Button, Group, NativeSelect, SegmentedControl, Stack, Switch, Text, Tooltip } from '@mantine/core'
import { IconActivity, IconFilterOff, IconRefreshAlert, IconX } from '@tabler/icons-react'
import { OUTCOMES } from '../../../src/vocabulary/words.ts'
import { accountPath } from '../../api/client.ts'
import { useModels } from '../../api/models.ts'
import { useSettlements } from '../../api/settlements.ts'
import { useKeyNames } from '../../api/use-list.ts'
import type { Model, Settlement } from '../../api/wire.ts'
import { useAccount, useMay } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { TimeField } from '../../parts/forms/time-field.tsx'
import type { EmptyStateProps } from '../../parts/layout/empty-state.tsx'
import { OutcomeBadge, outcomeLabel } from '../../parts/layout/outcome-badge.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { KeyPicker } from '../../parts/pickers/key-picker.tsx'
import { summarizeUsage } from '../../parts/prices/usage-words.ts'
import { IdField } from '../../parts/tables/id-field.tsx'
import { Refusals } from '../../parts/tables/refusals.tsx'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatDuration } from '../../parts/text/format.ts'
import { ButtonLink } from '../../parts/text/links.tsx'
import { Money } from '../../parts/text/money.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'
import { boundsOf, SPANS } from './time-filter.ts'

export function Page() {
  const [filters, setFilters] = useUrlState<Filters>(NO_FILTERS)
  const parts = { filters, onChange: setFilters }
  return filters.view === 'refused' ? <RefusedRequests {...parts} /> : <AdmittedRequests {...parts} />
}

interface ViewProps {
  readonly filters: Filters
  readonly onChange: (change: Partial<Filters>) => void
}

function ViewSwitch({ filters, onChange }: ViewProps) {
  return (
    <SegmentedControl
      aria-label="Which requests"
      value={filters.view === 'refused' ? 'refused' : ''}
      onChange={(view) => onChange({ ...NO_FILTERS, key: filters.key, view })}
      data={[
        { value: '', label: 'Admitted' },
        { value: 'refused', label: 'Refused' },
      ]}
    />
  )
}

/** Requests that were refused before they were admitted. */
function RefusedRequests({ filters, onChange }: ViewProps) {
  const account = useAccount()
  const keyName = useKeyNames(account.id)
  return (
    <>
      <PageHeader
        title="Requests"
        description="Requests that were refused before they reached a model, and why. They cost nothing."
        actions={<ViewSwitch filters={filters} onChange={onChange} />}
      />
      <Refusals
        queryKey={[account.id]}
        path={accountPath(account.id, '/refusals')}
        filters={{ key_id: filters.key }}
        filterBar={
          <Group gap="sm" className="request-filters" role="search" aria-label="Filter refusals">
            <KeyPicker
              aria-label="Key"
              account={account.id}
              value={filters.key}
              onChange={(key) => onChange({ key })}
            />
          </Group>
        }
        ownerHead="Key"
        ownerOf={({ key_id }) => keyName(key_id)}
      />
    </>
  )
}

function AdmittedRequests({ filters, onChange: setFilters }: ViewProps) {
  const account = useAccount()
  const keyName = useKeyNames(account.id)
  const models = useModels(account.id)
  const { from, to } = boundsOf(filters, Date.now())
  const { key, model, session, agent, outcome } = filters
  const list = useSettlements(account.id, { key_id: key, model, session, agent, outcome, from, to })
  const columns = columnsOf(keyName)
  const isNarrowed = [key, model, session, agent, outcome, from].some((value) => value !== '')
  return (
    <>
      <PageHeader
        title="Requests"
        description="Every admitted request, with its route, usage and cost."
        actions={
          <>
            <LiveSwitch filters={filters} onChange={setFilters} />
            <ViewSwitch filters={filters} onChange={setFilters} />
          </>
        }
      />
      <TablePanel
        label="Requests"
        filters={
          <FilterBar
            filters={filters}
            onChange={setFilters}
            account={account.id}
            models={models.data?.data ?? []}
          />
        }
        list={list}
        columns={columns}
        rowKey={({ request_id }) => request_id}
        rowLink={({ request_id }) => ({ to: '/requests/$id', params: { id: request_id } })}
        empty={isNarrowed ? noMatch(() => setFilters(NO_FILTERS)) : NONE}
      />
    </>
  )
}

function noMatch(onClear: () => void): EmptyStateProps {
  return {
    icon: IconFilterOff,
    title: 'No matching requests',
    children:
      'Choose a longer time range or fewer filters. Requests that were refused on arrival are under Refused.',
    action: { label: 'Clear filters', onClick: onClear },
  }
}

const NONE: EmptyStateProps = {
  icon: IconActivity,
  title: 'Waiting for the first request',
  children: 'It appears here as soon as it ends, with its attempts, tokens and price.',
  action: <FirstRequest />,
}

function FirstRequest() {
  if (!useMay('manage-keys')) return null
  return (
    <Group justify="center">
      <ButtonLink to="/playground">Try the playground</ButtonLink>
      <ButtonLink variant="default" to="/connect">
        Connect a program
      </ButtonLink>
    </Group>
  )
}

const NO_FILTERS = {
  view: '',
  key: '',
  model: '',
  session: '',
  agent: '',
  outcome: '',
  span: 'all',
  from: '',
  to: '',
}
type Filters = typeof NO_FILTERS

interface FilterBarProps {
  readonly filters: Filters
  readonly onChange: (change: Partial<Filters>) => void
  readonly account: string
  readonly models: readonly Model[]
}

function FilterBar({ filters, onChange, account, models }: FilterBarProps) {
  const isCustom = filters.span === 'custom'
  const isFiltered = Object.entries(NO_FILTERS).some(
    ([name, value]) => (name !== 'to' || isCustom) && filters[name as keyof Filters] !== value,
  )
  return (
    <Group gap="sm" className="request-filters" role="search" aria-label="Filter requests">
      <KeyPicker
        aria-label="Key"
        account={account}
        value={filters.key}
        onChange={(key) => onChange({ key })}
      />
      <NativeSelect
        aria-label="Model"
        value={filters.model}
        onChange={(event) => onChange({ model: event.currentTarget.value })}
        data={withAny('All models', modelChoices(models), filters.model)}
      />
      <NativeSelect
        aria-label="Outcome"
        value={filters.outcome}
        onChange={(event) => onChange({ outcome: event.currentTarget.value })}
        data={[
          { value: '', label: 'All outcomes' },
          ...OUTCOMES.map((value) => ({ value, label: outcomeLabel(value) })),
        ]}
      />
      <NativeSelect
        aria-label="Time"
        value={filters.span}
        onChange={(event) => onChange({ span: event.currentTarget.value, from: '', to: '' })}
        data={SPANS}
      />
      <IdField
        aria-label="Session"
        placeholder="All sessions"
        value={filters.session}
        onChange={(session) => onChange({ session })}
      />
      <IdField
        aria-label="Agent"
        placeholder="All agents"
        value={filters.agent}
        onChange={(agent) => onChange({ agent })}
      />
      {isCustom && (
        <>
          <TimeField aria-label="From" value={filters.from} onChange={(from) => onChange({ from })} />
          <TimeField aria-label="Before" value={filters.to} onChange={(to) => onChange({ to })} />
        </>
      )}
      {isFiltered && (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconX size={14} aria-hidden />}
          onClick={() => onChange(NO_FILTERS)}
        >
          Clear
        </Button>
      )}
    </Group>
  )
}

interface Choice {
  readonly value: string
  readonly label: string
}

const modelChoices = (models: readonly Model[]): Choice[] =>
  models.map(({ id }) => ({ value: id, label: id }))

/** A link can name a value that is no longer in the list. Add it, so that the filter stays visible. */
function withAny(any: string, choices: readonly Choice[], chosen: string): Choice[] {
  const isKnown = chosen === '' || choices.some(({ value }) => value === chosen)
  return [{ value: '', label: any }, ...choices, ...(isKnown ? [] : [{ value: chosen, label: chosen }])]
}

interface LiveSwitchProps {
  readonly filters: Filters
  readonly onChange: (change: Partial<Filters>) => void
}

/** A paused list ends at the time of the pause. The address contains it, so that a shared link shows the same rows. */
function LiveSwitch({ filters, onChange }: LiveSwitchProps) {
  if (filters.span === 'custom') return null
  const isLive = filters.to === ''
  return (
    <Switch
      label="Live"
      checked={isLive}
      onChange={() => onChange({ to: isLive ? new Date().toISOString() : '' })}
      className="live-switch"
      wrapperProps={{ 'data-live': isLive || undefined }}
    />
  )
}

function columnsOf(keyName: (id: string) => string): readonly Column<Settlement>[] {
  return [
    {
      head: 'Model',
      cell: ({ model, supplier, request_id, started_at }) => (
        <Stack gap={0} data-request={request_id}>
          <Text inherit className="request-model">
            {model}
          </Text>
          <Text size="xs" c="dimmed" fw={400} visibleFrom="sm">
            {supplier ?? 'no supplier'}
          </Text>
          <Text size="xs" c="dimmed" fw={400} hiddenFrom="sm">
            <TimeStamp at={started_at} as="relative" />
          </Text>
        </Stack>
      ),
    },
    {
      head: 'Time',
      from: 'sm',
      cell: ({ started_at }) => (
        <span className="request-time">
          <TimeStamp at={started_at} />
        </span>
      ),
    },
    { head: 'Key', cell: ({ key_id }) => keyName(key_id), from: 'lg' },
    {
      head: 'Outcome',
      cell: (settlement) => (
        <Group gap={6} wrap="nowrap">
          <OutcomeBadge outcome={settlement.outcome} />
          <Retried attempts={settlement.attempts.length} />
        </Group>
      ),
    },
    { head: 'Usage', isNumeric: true, from: 'md', cell: ({ usage }) => summarizeUsage(usage) },
    {
      head: 'First byte',
      isNumeric: true,
      from: 'lg',
      cell: ({ first_byte_ms }) => (first_byte_ms === null ? '–' : formatDuration(first_byte_ms)),
    },
    {
      head: 'Duration',
      isNumeric: true,
      from: 'md',
      cell: ({ duration_ms }) => formatDuration(duration_ms),
    },
    { head: CURRENCY, isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
  ]
}

function Retried({ attempts }: { readonly attempts: number }) {
  if (attempts < 2) return null
  const said = `It took ${attempts} attempts`
  return (
    <Tooltip label={said}>
      <IconRefreshAlert size={16} stroke={1.7} role="img" aria-label={said} className="request-retried" />
    </Tooltip>
  )
}
