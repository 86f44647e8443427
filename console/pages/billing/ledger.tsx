import { IconScale } from '@tabler/icons-react'
import { useLedger } from '../../api/ledger.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ledgerColumns } from '../../parts/ledger-columns.tsx'
import { Panel } from '../../parts/panel.tsx'

const COLUMNS = ledgerColumns('/requests/$id')

export function Ledger({ account }: { readonly account: string }) {
  const list = useLedger(account)
  return (
    <Panel
      title="Ledger"
      description="Everything that moved the balance, newest first. The balance is the sum of all lines."
      isFlush
    >
      <DataTable
        label="Ledger"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconScale} title="Nothing has moved yet">
            Payments, what requests cost, refunds and adjustments are written here, to the last digit.
          </EmptyState>
        }
      />
    </Panel>
  )
}
