import { Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import type { Account, ApiKey } from '../../api/wire.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { formatMoney } from '../../parts/format.ts'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

export function Keys({ account }: { readonly account: Account }) {
  const list = useList<ApiKey>([...ACCOUNTS_KEY, account.id, 'keys'], accountCall(account.id, '/keys'))
  const columns: readonly Column<ApiKey>[] = [
    {
      head: 'Key',
      cell: (key) => (
        // The customer's own page of the key, which changes, rotates and revokes it.
        <Link to="/keys/$id" params={{ id: key.id }} search={{ account: account.id }} className="row-opener">
          <span className="two-lines">
            {key.name}
            <Text span size="xs" c="dimmed" fw={400} className="mono">
              …{key.last_four}
            </Text>
          </span>
        </Link>
      ),
    },
    { head: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
    {
      head: 'Limit',
      from: 'sm',
      cell: ({ usage_limit: limit }) =>
        limit === null ? 'None' : `${formatMoney(limit.amount)} ${limit.period}`,
    },
    {
      head: 'This month, USDT',
      isNumeric: true,
      cell: ({ usage }) => <Money amount={usage.spent_this_month} isBare />,
    },
    { head: 'Expires', from: 'md', cell: ({ expires_at }) => <TimeStamp at={expires_at} as="date" /> },
    { head: 'Created', from: 'md', cell: ({ created_at }) => <TimeStamp at={created_at} as="date" /> },
  ]
  return (
    <Panel
      title="API keys"
      description="A key opens on the customer's own page, where it is changed, rotated and revoked."
      isFlush
    >
      <DataTable
        label="API keys"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconKey} title="This account has no key yet">
            Keys are made by the customer, or by you under “See as customer”.
          </EmptyState>
        }
      />
    </Panel>
  )
}
