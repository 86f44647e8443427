import { Group, Text } from '@mantine/core'
import { IconTerminal2 } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Query } from '../../api/client.ts'
import { useList } from '../../api/use-list.ts'
import type { ClientSession } from '../../api/wire.ts'
import { StatusBadge } from '../layout/status-badge.tsx'
import { CutId, CutText } from '../tables/cut-text.tsx'
import { type Column, type RowLink, TablePanel, TwoLines } from '../tables/table-panel.tsx'
import { CURRENCY } from '../text/currency.ts'
import { formatCount, formatDuration, formatNumber, formatShort } from '../text/format.ts'
import { Money } from '../text/money.tsx'
import { TimeStamp } from '../text/time-stamp.tsx'

export interface SessionTableProps {
  readonly queryKey: readonly unknown[]
  readonly path: string
  readonly query: Query
  readonly filters: ReactNode
  /** Whose session it is: the key, or account and key. */
  readonly ownerHead: string
  readonly ownerOf: (session: ClientSession) => string
  readonly rowLink: (session: ClientSession) => RowLink
  /** Whether the list is narrowed, and how it is not. */
  readonly isNarrowed: boolean
  readonly onClear: () => void
}

/** Coding sessions, one row each. */
export function SessionTable(props: SessionTableProps) {
  const { queryKey, path, query, filters, ownerHead, ownerOf, rowLink, isNarrowed, onClear } = props
  const list = useList<ClientSession>([...queryKey, 'client-sessions'], path, query)
  return (
    <TablePanel
      label="Sessions"
      filters={filters}
      list={list}
      columns={columnsOf(ownerHead, ownerOf)}
      rowKey={({ account_id, key_id, session }) => `${account_id} ${key_id} ${session}`}
      rowLink={rowLink}
      empty={isNarrowed ? { ...NO_MATCH, action: { label: 'Clear filters', onClick: onClear } } : NONE}
    />
  )
}

const NONE = {
  icon: IconTerminal2,
  title: 'No sessions yet',
  children:
    'Coding agents such as Claude Code and Codex name their session in each request. Your own programs can send the header x-session-id.',
}

const NO_MATCH = {
  icon: IconTerminal2,
  title: 'No matching sessions',
  children: 'Choose a longer time range or fewer filters. A session id is found by its beginning.',
}

function columnsOf(
  ownerHead: string,
  ownerOf: SessionTableProps['ownerOf'],
): readonly Column<ClientSession>[] {
  return [
    {
      head: 'Session',
      cell: ({ session, models, agents, last_at }) => (
        <TwoLines below={<NamesBelow models={models} agents={agents} lastAt={last_at} />}>
          <CutId id={session} />
        </TwoLines>
      ),
    },
    { head: ownerHead, from: 'md', cell: (session) => <CutText text={ownerOf(session)} width={26} /> },
    {
      head: 'Last request',
      from: 'sm',
      cell: ({ first_at, last_at, requests }) => (
        <TwoLines
          below={requests === 1 ? null : `over ${formatDuration(Date.parse(last_at) - Date.parse(first_at))}`}
        >
          <TimeStamp at={last_at} as="relative" />
        </TwoLines>
      ),
    },
    {
      head: 'Requests',
      isNumeric: true,
      cell: ({ requests, errors }) => (
        <Group gap={6} justify="flex-end" wrap="nowrap">
          {errors > 0 && <StatusBadge state="failed" tone="bad" label={formatCount(errors, 'error')} />}
          {formatNumber(requests)}
        </Group>
      ),
    },
    {
      head: 'Tokens in / out',
      isNumeric: true,
      from: 'md',
      cell: ({ input_tokens, output_tokens }) =>
        `${formatShort(input_tokens)} / ${formatShort(output_tokens)}`,
    },
    { head: CURRENCY, isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
  ]
}

interface NamesBelowProps {
  readonly models: readonly string[]
  readonly agents: readonly string[]
  readonly lastAt: string
}

const SHOWN_NAMES = 2

function NamesBelow({ models, agents, lastAt }: NamesBelowProps) {
  const more = models.length > SHOWN_NAMES ? ` and ${models.length - SHOWN_NAMES} more` : ''
  const counted = agents.length === 0 ? '' : ` · ${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}`
  return (
    <>
      <CutText text={`${models.slice(0, SHOWN_NAMES).join(', ')}${more}${counted}`} width={34} />
      <Text span size="xs" hiddenFrom="sm" display="block">
        <TimeStamp at={lastAt} as="relative" />
      </Text>
    </>
  )
}
