import { IconActivity } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ShownList } from '../../../src/edges/management-api/endpoint.ts'
import { accountPath, api } from '../../api/client.ts'
import type { ApiKey, Settlement } from '../../api/wire.ts'
import { formatDuration, formatNumber } from '../../parts/format.ts'
import { TextLink } from '../../parts/links.tsx'
import { asList } from '../../parts/lists.ts'
import { Money } from '../../parts/money.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.tsx'
import { type Column, TablePanel } from '../../parts/table-panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

const COLUMNS: readonly Column<Settlement>[] = [
  { head: 'Model', cell: ({ model }) => model },
  { head: 'Time', cell: ({ started_at }) => <TimeStamp at={started_at} as="relative" /> },
  { head: 'Outcome', from: 'sm', cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
  {
    head: 'Tokens',
    from: 'sm',
    isNumeric: true,
    cell: ({ usage }) => formatNumber(usage.input + usage.cache_read + usage.cache_write + usage.output),
  },
  {
    head: 'Duration',
    from: 'md',
    isNumeric: true,
    cell: ({ duration_ms }) => formatDuration(duration_ms),
  },
  { head: 'Cost, USDT', isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
]

const SHOWN = 5

export interface RecentRequestsProps {
  readonly account: string
  readonly apiKey: ApiKey
}

export function RecentRequests({ account, apiKey: { id } }: RecentRequestsProps) {
  const query = { key_id: id, limit: SHOWN }
  const latest = useQuery({
    queryKey: [account, 'settlements', query],
    queryFn: ({ signal }) =>
      api.get<ShownList<Settlement>>(accountPath(account, '/settlements'), { query, signal }),
  })
  return (
    <TablePanel
      title="Latest requests"
      actions={
        <TextLink size="sm" to="/requests" search={{ key_id: id }}>
          All requests of this key
        </TextLink>
      }
      list={asList(latest)}
      columns={COLUMNS}
      rowKey={({ request_id }) => request_id}
      rowLink={({ request_id }) => ({ to: '/requests/$id', params: { id: request_id } })}
      empty={{
        icon: IconActivity,
        title: 'Not used yet',
        children: 'Requests made with this key appear here as they end.',
      }}
    />
  )
}
