import { Text } from '@mantine/core'
import { IconBellCheck } from '@tabler/icons-react'
import { ACCOUNTS_KEY, OPERATOR } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import type { Account, Alert } from '../../api/wire.ts'
import { listFields } from '../../parts/field-changes.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { type Column, TablePanel } from '../../parts/table-panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

const COLUMNS: readonly Column<Alert>[] = [
  { head: 'When', cell: ({ at }) => <TimeStamp at={at} /> },
  { head: 'What', cell: ({ kind }) => <StatusBadge state={kind} tone="warning" /> },
  {
    head: 'Details',
    cell: ({ data }) => (
      <Text size="sm" span>
        {listFields(data)
          .map(([path, text]) => `${path} ${text}`)
          .join(', ')}
      </Text>
    ),
  },
  {
    head: 'Delivery',
    from: 'sm',
    cell: ({ delivery }) => (
      <StatusBadge state={delivery.state} label={delivery.state === 'none' ? 'no webhook' : delivery.state} />
    ),
  },
]

export function Alerts({ account }: { readonly account: Account }) {
  const key = [...ACCOUNTS_KEY, account.id, 'alerts']
  return (
    <TablePanel
      title="Alerts"
      list={useList<Alert>(key, `${OPERATOR}/alerts`, { account_id: account.id })}
      columns={COLUMNS}
      empty={{
        icon: IconBellCheck,
        title: 'Nothing to be told',
        children:
          'A balance below its alert, a key near its budget or at its limit, or a refused credential of the account’s own shows up here.',
      }}
    />
  )
}
