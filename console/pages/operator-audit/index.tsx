import { Button, Drawer, Stack, Text } from '@mantine/core'
import { IconHistory, IconSearchOff } from '@tabler/icons-react'
import { OPERATOR } from '../../api/operator.ts'
import { type List, useList } from '../../api/use-list.ts'
import type { AuditEvent } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ChangeTable } from '../../parts/change-table.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Facts } from '../../parts/facts.tsx'
import { ListFilters } from '../../parts/list-filters.tsx'
import { matchesWords, useSearchedList } from '../../parts/narrow-list.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'
import { describeAction, KINDS } from './describe-action.ts'

const COLUMNS: readonly Column<AuditEvent>[] = [
  { head: 'When', cell: ({ at }) => <TimeStamp at={at} /> },
  {
    head: 'What',
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
    head: 'Of',
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
  const [{ q, kind, open }, setState] = useUrlState({ q: '', kind: '', open: '' })
  const all = useList<AuditEvent>(['operator', 'audit'], `${OPERATOR}/audit`)
  const isNarrowed = q.trim() !== '' || kind !== ''
  const list = useSearchedList(all, isNarrowed ? (event) => fits(event, q.trim(), kind) : null)
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Every change, newest first: who made it, and what was before and after. Secrets are never in it."
      />
      <ListFilters
        search={{
          label: 'Search the audit log',
          placeholder: 'Who, what or which id',
          value: q,
          onSearch: (text) => setState({ q: text }),
        }}
        choice={{
          label: 'Kind of thing',
          all: 'Everything',
          options: KINDS,
          value: kind,
          onChange: (chosen) => setState({ kind: chosen }),
        }}
      />
      <Panel isFlush>
        <DataTable
          label="Audit log"
          list={list}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          onOpen={({ id }) => setState({ open: id })}
          empty={<Nothing isNarrowed={isNarrowed} onClear={() => setState({ q: '', kind: '' })} />}
        />
      </Panel>
      <OpenEvent id={open} all={all} onClose={() => setState({ open: '' })} />
    </>
  )
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

/** An event has no address of its own at the gateway, so a link to an old one leads through the list. */
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
      closeButtonProps={{ 'aria-label': 'Close' }}
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
          { label: 'Of', value: <span className="mono">{event.subject}</span> },
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

function Nothing({ isNarrowed, onClear }: { readonly isNarrowed: boolean; readonly onClear: () => void }) {
  if (!isNarrowed) {
    return (
      <EmptyState icon={IconHistory} title="Nothing was changed yet">
        Whatever operators and customers change shows up here, with what was before and after.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={IconSearchOff}
      title="No change fits"
      action={
        <Button variant="default" onClick={onClear}>
          Show everything
        </Button>
      }
    >
      The latest 2,000 changes were searched by who, what and which id.
    </EmptyState>
  )
}
