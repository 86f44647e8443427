import { Box, Text } from '@mantine/core'
import { IconActivity } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Query } from '../../api/client.ts'
import { OPERATOR } from '../../api/operator.ts'
import type { Settlement } from '../../api/wire.ts'
import { OutcomeBadge } from '../../parts/layout/outcome-badge.tsx'
import { summarizeUsage } from '../../parts/prices/usage-words.ts'
import { useRequestList } from '../../parts/requests/use-request-list.ts'
import { CutText } from '../../parts/tables/cut-text.tsx'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatDuration } from '../../parts/text/format.ts'
import { Money } from '../../parts/text/money.tsx'
import { TimeBelow, TimeStamp } from '../../parts/text/time-stamp.tsx'

interface AllRequestsProps {
  readonly query: Query
  readonly filters: ReactNode
  readonly nameOf: (account: string) => string
  readonly isNarrowed: boolean
  readonly onClear: () => void
}

export function AllRequests({ query, filters, nameOf, isNarrowed, onClear }: AllRequestsProps) {
  const list = useRequestList(['operator', 'settlements'], `${OPERATOR}/settlements`, query)
  const isSearching = list.rows.length === 0 && list.hasMore && list.isLoadingMore
  return (
    <TablePanel
      label="Requests"
      filters={filters}
      list={{ ...list, isPending: list.isPending || isSearching }}
      columns={columnsOf(nameOf)}
      rowKey={({ request_id }) => request_id}
      rowLink={({ request_id: id }) => ({ to: '/operator/settlements/$id', params: { id } })}
      empty={isNarrowed ? { ...NO_MATCH, action: { label: 'Clear filters', onClick: onClear } } : NONE}
    />
  )
}

const NONE = {
  icon: IconActivity,
  title: 'No requests yet',
  children: 'Admitted requests appear here once they are settled, including failed ones.',
}

const NO_MATCH = {
  icon: IconActivity,
  title: 'No matching requests',
  children:
    'Remove a filter or choose a longer time range. Requests that were refused on arrival are under Refused.',
}

function columnsOf(nameOf: (id: string) => string): readonly Column<Settlement>[] {
  return [
    {
      head: 'Account and model',
      cell: ({ account_id, model, started_at, outcome, error_code }) => (
        <span className="two-lines">
          <CutText text={nameOf(account_id)} width={26} />
          <Text span size="xs" c="dimmed" fw={400}>
            <CutText text={model} width={30} />
          </Text>
          <TimeBelow at={started_at} />
          <Box component="span" hiddenFrom="sm" mt={4}>
            <Outcome outcome={outcome} code={error_code} />
          </Box>
        </span>
      ),
    },
    { head: 'Time', from: 'sm', cell: ({ started_at }) => <TimeStamp at={started_at} /> },
    {
      head: 'Outcome',
      from: 'sm',
      cell: ({ outcome, error_code }) => <Outcome outcome={outcome} code={error_code} />,
    },
    {
      head: 'Supplier',
      from: 'md',
      cell: ({ supplier }) => <CutText text={supplier ?? 'None'} width={20} />,
    },
    { head: 'Usage', isNumeric: true, from: 'md', cell: ({ usage }) => summarizeUsage(usage) },
    { head: 'Duration', isNumeric: true, from: 'sm', cell: ({ duration_ms }) => formatDuration(duration_ms) },
    { head: CURRENCY, isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
  ]
}

function Outcome({ outcome, code }: { readonly outcome: string; readonly code: string | null }) {
  return (
    <span className="two-lines">
      <span>
        <OutcomeBadge outcome={outcome} />
      </span>
      {code !== null && (
        <Text span size="xs" c="dimmed">
          <CutText text={code} width={22} isMono />
        </Text>
      )}
    </span>
  )
}
