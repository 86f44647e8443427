import { Button } from '@mantine/core'
import { IconCoin } from '@tabler/icons-react'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import type { Account, Payment } from '../../api/wire.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PAYMENT_COLUMNS } from '../../parts/ledger-columns.tsx'
import { Panel } from '../../parts/panel.tsx'

interface PaymentsProps {
  readonly account: Account
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
        columns={PAYMENT_COLUMNS}
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
