import { IconCash } from '@tabler/icons-react'
import { accountPath } from '../../api/client.ts'
import { useList } from '../../api/use-list.ts'
import type { Payment } from '../../api/wire.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PAYMENT_COLUMNS } from '../../parts/ledger-columns.tsx'
import { Panel } from '../../parts/panel.tsx'

export function PaymentList({ account }: { readonly account: string }) {
  const list = useList<Payment>([account, 'payments'], accountPath(account, '/payments'))
  return (
    <Panel
      title="Payments"
      description="What was paid in. The total raises your tier: see the overview."
      isFlush
    >
      <DataTable
        label="Payments"
        list={list}
        columns={PAYMENT_COLUMNS}
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
