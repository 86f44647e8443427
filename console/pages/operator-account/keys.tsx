import { IconKey } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import type { Account, ApiKey } from '../../api/wire.ts'
import { formatMoney } from '../../parts/format.ts'
import { Money } from '../../parts/money.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { type Column, TablePanel, TwoLines } from '../../parts/table-panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

export function Keys({ account }: { readonly account: Account }) {
  const columns: readonly Column<ApiKey>[] = [
    {
      head: 'Key',
      cell: (key) => (
        // The customer's own page of the key, which changes, rotates and revokes it.
        <Link to="/keys/$id" params={{ id: key.id }} search={{ account: account.id }} className="row-opener">
          <TwoLines below={`…${key.last_four}`} belowClass="mono">
            {key.name}
          </TwoLines>
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
    <TablePanel
      title="API keys"
      description="A key opens on the customer's own page, where it is changed, rotated and revoked."
      list={useList<ApiKey>([...ACCOUNTS_KEY, account.id, 'keys'], accountCall(account.id, '/keys'))}
      columns={columns}
      empty={{
        icon: IconKey,
        title: 'This account has no key yet',
        children: 'Keys are made by the customer, or by you under “See as customer”.',
      }}
    />
  )
}
