import { Button } from '@mantine/core'
import { IconCoin } from '@tabler/icons-react'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator-lists.ts'
import type { OperatorAccount, Payment } from '../../api/operator-shapes.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

const COLUMNS: readonly Column<Payment>[] = [
  { head: 'When', cell: ({ created_at }) => <TimeStamp at={created_at} /> },
  { head: 'Reference', cell: ({ reference }) => reference },
  { head: 'Note', from: 'sm', cell: ({ note }) => note ?? '–' },
  { head: 'Amount, USDT', isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
]

interface PaymentsProps {
  readonly account: OperatorAccount
  readonly onRecord: () => void
}

export function Payments({ account, onRecord }: PaymentsProps) {
  const list = useList<Payment>(
    [...ACCOUNTS_KEY, account.id, 'payments'],
    accountCall(account.id, '/payments'),
  )
  return (
    <Panel
      title="Payments"
      actions={
        <Button size="sm" onClick={onRecord}>
          Record payment
        </Button>
      }
      isFlush
    >
      <DataTable
        label="Payments"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconCoin} title="No payment yet">
            Record what the customer has paid; it raises the balance at once and earns tiers at the full hour.
          </EmptyState>
        }
      />
    </Panel>
  )
}
