import { Box, Button, Text } from '@mantine/core'
import { IconActivity, IconDownload } from '@tabler/icons-react'
import { withQuery } from '../../api/client.ts'
import { OPERATOR, useAccountNames } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import type { Settlement } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { formatDuration, formatNumber } from '../../parts/format.ts'
import { Money } from '../../parts/money.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { type Column, TablePanel } from '../../parts/table-panel.tsx'
import { TimeBelow } from '../../parts/time-below.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'
import { Filters, NO_FILTERS } from './filters.tsx'

export function Page() {
  const [filters, setFilters] = useUrlState(NO_FILTERS)
  const { customer, key, model, from, to } = filters
  const nameOf = useAccountNames()
  const list = useList<Settlement>(['operator', 'settlements'], `${OPERATOR}/settlements`, {
    account: customer,
    key,
    model,
    from,
    to,
  })
  const isNarrowed = Object.values(filters).some((value) => value !== '')
  const clear = (
    <Button variant="default" onClick={() => setFilters(NO_FILTERS)}>
      Clear the filters
    </Button>
  )
  return (
    <>
      <PageHeader
        title="All requests"
        description="Every settled request of every account, newest first. Each opens to its attempts and its price."
        actions={
          <Button
            variant="default"
            component="a"
            download
            leftSection={<IconDownload size={16} aria-hidden />}
            href={withQuery(`${OPERATOR}/exports/settlements`, {
              account_id: customer,
              key_id: key,
              model,
              from,
              to,
              format: 'csv',
            })}
          >
            Export CSV
          </Button>
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
      head: 'Tokens',
      isNumeric: true,
      from: 'md',
      cell: ({ usage }) => formatNumber(usage.input + usage.cache_read + usage.cache_write + usage.output),
    },
    { head: 'Took', isNumeric: true, from: 'sm', cell: ({ duration_ms }) => formatDuration(duration_ms) },
    { head: 'USDT', isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
  ]
}

const NONE = {
  icon: IconActivity,
  title: 'No request yet',
  children: 'Each request that a key was admitted with is settled once and listed here, whatever came of it.',
}

const NO_MATCH = {
  icon: IconActivity,
  title: 'No request fits these filters',
  children: 'Take a filter away, or choose a longer time.',
}
