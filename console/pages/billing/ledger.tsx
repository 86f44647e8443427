import { IconScale } from '@tabler/icons-react'
import { accountPath } from '../../api/client.ts'
import { useList } from '../../api/use-list.ts'
import type { LedgerEntry } from '../../api/wire.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ledgerColumns } from '../../parts/ledger-columns.tsx'
import { Panel } from '../../parts/panel.tsx'

const COLUMNS = ledgerColumns('/requests/$id')

export function Ledger({ account }: { readonly account: string }) {
  const list = useList<LedgerEntry>([account, 'ledger'], accountPath(account, '/ledger'))
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
