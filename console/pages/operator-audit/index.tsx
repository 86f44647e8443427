import { Drawer, NativeSelect, Stack, Text } from '@mantine/core'
import { IconHistory, IconSearchOff } from '@tabler/icons-react'
import { ALERT_ACTIONS, ALERT_KINDS } from '../../../src/vocabulary/words.ts'
import { OPERATOR } from '../../api/operator.ts'
import { type List, useList } from '../../api/use-list.ts'
import type { AuditEvent } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { describePath, listChanges } from '../../parts/forms/field-changes.ts'
import { SearchField } from '../../parts/forms/search-field.tsx'
import { TimeField } from '../../parts/forms/time-field.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Facts } from '../../parts/layout/panel.tsx'
import { StatusBadge, type Tone } from '../../parts/layout/status-badge.tsx'
import { ChangeTable } from '../../parts/tables/change-table.tsx'
import { CutText } from '../../parts/tables/cut-text.tsx'
import { useSearchedList } from '../../parts/tables/lists.ts'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'
import { CodeBlock } from '../../parts/text/code-block.tsx'
import { KIND_WORDS } from '../../parts/text/describe-alert.ts'
import { capitalize } from '../../parts/text/format.ts'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

/** The prefixes of actions. */
const KINDS = [
  { value: 'account', label: 'Accounts' },
  { value: 'payment', label: 'Payments' },
  { value: 'refund', label: 'Refunds' },
  { value: 'adjustment', label: 'Adjustments' },
  { value: 'tier', label: 'Tiers' },
  { value: 'key', label: 'API keys' },
  { value: 'supplier', label: 'Suppliers' },
  { value: 'credential', label: 'Credentials' },
  { value: 'model', label: 'Models' },
  { value: 'route', label: 'Routes' },
  { value: 'alias', label: 'Aliases' },
  { value: 'wildcard', label: 'Wildcards' },
  { value: 'mark_up', label: 'Mark-ups' },
  { value: 'payment_method', label: 'Payment methods' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'alert_channel', label: 'Alert channels' },
  { value: 'alert', label: 'Alerts' },
  { value: 'sink', label: 'Sinks' },
  { value: 'settlements', label: 'Deleted requests' },
  { value: 'user', label: 'Users' },
  { value: 'member', label: 'Members' },
  { value: 'invite', label: 'Invitations' },
  { value: 'session', label: 'Sessions' },
  { value: 'operator', label: 'Operator token' },
] as const

const GONE = /deleted|removed|revoked|disabled|ended|failed/
const MADE = /created|added|recorded|enabled/

const ALERT_WORDS = new Map(ALERT_KINDS.map((kind) => [ALERT_ACTIONS[kind], KIND_WORDS[kind]]))

/** `route.changed` → `Route changed`, with a colour for additions and removals. */
function describeAction(action: string): { readonly label: string; readonly tone: Tone } {
  const words = action.replaceAll(/[._]/g, ' ')
  const label = ALERT_WORDS.get(action) ?? capitalize(words)
  if (GONE.test(action)) return { label, tone: 'warning' }
  return { label, tone: MADE.test(action) ? 'good' : 'neutral' }
}

const COLUMNS: readonly Column<AuditEvent>[] = [
  {
    head: 'Time',
    cell: (event) => (
      <>
        <TimeStamp at={event.at} />
        <Stack gap={4} mt={4} fw={400} hiddenFrom="sm" align="flex-start">
          <Change action={event.action} />
          <Subject event={event} />
          <Text size="xs" c="dimmed" className="wrapped" component="div">
            by <Actor actor={event.actor} isInSentence />
          </Text>
        </Stack>
      </>
    ),
  },
  { head: 'Change', from: 'sm', cell: ({ action }) => <Change action={action} /> },
  { head: 'Object', from: 'sm', cell: (event) => <Subject event={event} /> },
  { head: 'What changed', from: 'md', cell: (event) => <Summary event={event} /> },
  { head: 'Who', from: 'sm', cell: ({ actor }) => <Actor actor={actor} /> },
]

function Change({ action }: Pick<AuditEvent, 'action'>) {
  const { label, tone } = describeAction(action)
  return <StatusBadge state={action} tone={tone} label={label} />
}

const NO_FILTERS = { who: '', kind: '', object: '', from: '', to: '' }

export function Page() {
  const [{ open, ...filters }, setState] = useUrlState({ ...NO_FILTERS, open: '' })
  const { who, kind, object, from, to } = filters
  const list = useList<AuditEvent>(['operator', 'audit'], `${OPERATOR}/audit`, {
    actor: who.trim(),
    kind,
    subject: object.trim(),
    from,
    to,
  })
  const isNarrowed = Object.values(filters).some((value) => value !== '')
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Every change, newest first, with its author and the values before and after. Secrets are never recorded."
      />
      <Filters filters={filters} onChange={setState} />
      <TablePanel
        label="Audit log"
        list={list}
        columns={COLUMNS}
        onOpen={({ id }) => setState({ open: id })}
        empty={
          isNarrowed
            ? { ...NO_MATCH, action: { label: 'Show all', onClick: () => setState(NO_FILTERS) } }
            : NONE
        }
      />
      <OpenEvent id={open} all={list} onClose={() => setState({ open: '' })} />
    </>
  )
}

interface FiltersProps {
  readonly filters: typeof NO_FILTERS
  readonly onChange: (change: Partial<typeof NO_FILTERS>) => void
}

function Filters({ filters: { who, kind, object, from, to }, onChange }: FiltersProps) {
  return (
    <div className="audit-filters">
      <SearchField
        label="Who"
        isLabelShown
        placeholder="E-mail or operator"
        value={who}
        onSearch={(text) => onChange({ who: text })}
      />
      <NativeSelect
        label="What"
        value={kind}
        onChange={(event) => onChange({ kind: event.currentTarget.value })}
        data={[{ value: '', label: 'Everything' }, ...KINDS]}
      />
      <SearchField
        label="Object"
        isLabelShown
        placeholder="Object id"
        value={object}
        onSearch={(text) => onChange({ object: text })}
      />
      <TimeField label="From (local time)" value={from} onChange={(at) => onChange({ from: at })} />
      <TimeField label="Before (local time)" value={to} onChange={(at) => onChange({ to: at })} />
    </div>
  )
}

function Subject({ event: { subject, subject_name: name } }: { readonly event: AuditEvent }) {
  if (name === null || name === subject) return <CutText text={subject} width={48} isMono />
  return (
    <TwoLines below={subject} belowClass="mono">
      {name}
    </TwoLines>
  )
}

/** The first change in words, and how many more there are. */
function Summary({ event: { before, after } }: { readonly event: AuditEvent }) {
  if (before === null || after === null) return '–'
  const [first, ...more] = listChanges(before, after)
  if (first === undefined) return '–'
  return (
    <TwoLines below={more.length === 0 ? null : `and ${more.length} more`}>
      <Text span size="sm" className="wrapped">
        {describePath(first.path)}: {first.before ?? 'none'} → {first.after ?? 'none'}
      </Text>
    </TwoLines>
  )
}

const NONE = {
  icon: IconHistory,
  title: 'No changes yet',
  children: 'Changes by operators and customers appear here, with the values before and after.',
}

const NO_MATCH = {
  icon: IconSearchOff,
  title: 'No matching changes',
  children: 'No change fits these filters. Remove one, or choose a longer time.',
}

interface OpenEventProps {
  readonly id: string
  readonly all: List<AuditEvent>
  readonly onClose: () => void
}

/** The API has no call for a single event, so a link to an old one searches the list. */
function OpenEvent({ id, all, onClose }: OpenEventProps) {
  const found = useSearchedList(all, id === '' ? null : (event) => event.id === id)
  const event = all.rows.find((row) => row.id === id)
  const isMissing = event === undefined && !found.isPending
  return (
    <Drawer
      opened={id !== ''}
      onClose={onClose}
      size="xl"
      title={event === undefined ? 'Change' : describeAction(event.action).label}
    >
      {event !== undefined && <Event event={event} />}
      {isMissing && <Text size="sm">This change is too old to be found here.</Text>}
    </Drawer>
  )
}

function Event({ event }: { readonly event: AuditEvent }) {
  return (
    <Stack gap="lg">
      <Facts
        facts={[
          { label: 'Time', value: <TimeStamp at={event.at} /> },
          { label: 'Who', value: <Actor actor={event.actor} /> },
          { label: 'Action', value: <span className="mono">{event.action}</span> },
          { label: 'Object', value: <Subject event={event} /> },
        ]}
      />
      <ChangeTable label="Before and after" before={event.before} after={event.after} />
      <CodeBlock code={JSON.stringify(event, null, 2)} title="As recorded" maxHeight={280} />
    </Stack>
  )
}

/** Those that are not people. */
const ACTORS: Readonly<Record<string, string>> = { operator: 'operator token', alerts: 'the gateway' }

interface ActorProps {
  readonly actor: string
  readonly isInSentence?: boolean
}

function Actor({ actor, isInSentence = false }: ActorProps) {
  const known = ACTORS[actor]
  if (known === undefined) return <>{actor.replace(/^user:/, '')}</>
  return <>{isInSentence ? known : capitalize(known)}</>
}
