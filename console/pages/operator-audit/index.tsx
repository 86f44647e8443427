import { Drawer, Stack, Text } from '@mantine/core'
import { IconHistory, IconSearchOff } from '@tabler/icons-react'
import { OPERATOR } from '../../api/operator.ts'
import { type List, useList } from '../../api/use-list.ts'
import type { AuditEvent } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Facts } from '../../parts/layout/panel.tsx'
import { StatusBadge, type Tone } from '../../parts/layout/status-badge.tsx'
import { ChangeTable } from '../../parts/tables/change-table.tsx'
import { ListFilters } from '../../parts/tables/list-filters.tsx'
import { matchesWords, useSearchedList } from '../../parts/tables/lists.ts'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { CodeBlock } from '../../parts/text/code-block.tsx'
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
  { value: 'webhook', label: 'Webhooks' },
  { value: 'user', label: 'Users' },
] as const

const GONE = /deleted|removed|revoked|disabled|ended|failed/
const MADE = /created|added|recorded|enabled/

/** `route.changed` → `Route changed`, with a colour for additions and removals. */
function describeAction(action: string): { readonly label: string; readonly tone: Tone } {
  const words = action.replaceAll(/[._]/g, ' ')
  const label = words.charAt(0).toUpperCase() + words.slice(1)
  if (GONE.test(action)) return { label, tone: 'warning' }
  return { label, tone: MADE.test(action) ? 'good' : 'neutral' }
}

const COLUMNS: readonly Column<AuditEvent>[] = [
  { head: 'When', cell: ({ at }) => <TimeStamp at={at} /> },
  {
    head: 'Change',
    cell: ({ action, actor }) => {
      const { label, tone } = describeAction(action)
      return (
        <>
          <StatusBadge state={action} tone={tone} label={label} />
          <Text size="xs" c="dimmed" mt={4} hiddenFrom="sm" component="div">
            <Actor actor={actor} />
          </Text>
        </>
      )
    },
  },
  {
    head: 'Object',
    from: 'sm',
    cell: ({ subject }) => (
      <Text span size="sm" className="mono shortened">
        {subject}
      </Text>
    ),
  },
  { head: 'Who', from: 'sm', cell: ({ actor }) => <Actor actor={actor} /> },
]

export function Page() {
  const [state, setState] = useUrlState({ q: '', kind: '', open: '' })
  const { q, kind, open } = state
  const all = useList<AuditEvent>(['operator', 'audit'], `${OPERATOR}/audit`)
  const isNarrowed = q.trim() !== '' || kind !== ''
  const clear = { label: 'Show all', onClick: () => setState({ q: '', kind: '' }) }
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Every change, newest first, with its author and the values before and after. Secrets are never recorded."
      />
      <ListFilters
        state={state}
        onChange={setState}
        label="Search the audit log"
        placeholder="User, action or id"
        choice={{ name: 'kind', label: 'Type of object', all: 'Everything', options: KINDS }}
      />
      <TablePanel
        label="Audit log"
        list={useSearchedList(all, isNarrowed ? (event) => fits(event, q.trim(), kind) : null)}
        columns={COLUMNS}
        onOpen={({ id }) => setState({ open: id })}
        empty={isNarrowed ? { ...NO_MATCH, action: clear } : NONE}
      />
      <OpenEvent id={open} all={all} onClose={() => setState({ open: '' })} />
    </>
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
  children: 'The search covers the user, action and id of the latest 2,000 changes.',
}

function fits({ actor, action, subject }: AuditEvent, q: string, kind: string): boolean {
  return (
    (kind === '' || action.startsWith(`${kind}.`)) &&
    matchesWords(q, [actor, action, describeAction(action).label, subject])
  )
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
          { label: 'When', value: <TimeStamp at={event.at} /> },
          { label: 'Who', value: <Actor actor={event.actor} /> },
          { label: 'Action', value: <span className="mono">{event.action}</span> },
          { label: 'Object', value: <span className="mono">{event.subject}</span> },
        ]}
      />
      <ChangeTable label="Before and after" before={event.before} after={event.after} />
      <CodeBlock code={JSON.stringify(event, null, 2)} title="As recorded" maxHeight={280} />
    </Stack>
  )
}

function Actor({ actor }: { readonly actor: string }) {
  return <>{actor === 'operator' ? 'Operator token' : actor.replace(/^user:/, '')}</>
}
