import { IconCash } from '@tabler/icons-react'
import { type Payment, usePayments } from '../../api/payments.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

const COLUMNS: readonly Column<Payment>[] = [
  { head: 'Time', cell: ({ created_at }) => <TimeStamp at={created_at} /> },
  { head: 'Reference', cell: ({ reference }) => reference },
  { head: 'Note', cell: ({ note }) => note ?? '–', from: 'sm' },
  { head: 'USDT', isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
]

export function PaymentList({ account }: { readonly account: string }) {
  const list = usePayments(account)
  return (
    <Panel
      title="Payments"
      description="What was paid in. The total raises your tier: see the overview."
      isFlush
    >
      <DataTable
        label="Payments"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconCash} title="No payment yet">
            Your operator records payments; ask them how to pay. They are in the balance the moment they are
            recorded.
          </EmptyState>
        }
      />
    </Panel>
  )
}
