import { Button } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import { withQuery } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall, OPERATOR } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import type { Account, LedgerEntry } from '../../api/wire.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ledgerColumns } from '../../parts/ledger-columns.tsx'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/panel.tsx'

const COLUMNS = ledgerColumns('/operator/settlements/$id')

interface LedgerProps {
  readonly account: Account
  readonly onDo: (what: string) => void
}

export function Ledger({ account, onDo }: LedgerProps) {
  const list = useList<LedgerEntry>(
    [...ACCOUNTS_KEY, account.id, 'ledger'],
    accountCall(account.id, '/ledger'),
  )
  return (
    <Panel
      title="Ledger"
      description={
        <>
          Everything that moved the balance, newest first. Its sum is the balance:{' '}
          <Money amount={account.balance} isExact />
        </>
      }
      actions={
        <>
          <Button variant="default" size="sm" onClick={() => onDo('adjustment')}>
            Adjust
          </Button>
          <Button variant="default" size="sm" onClick={() => onDo('refund')}>
            Refund
          </Button>
          <Button
            variant="default"
            size="sm"
            component="a"
            href={withQuery(`${OPERATOR}/exports/ledger`, { account_id: account.id, format: 'csv' })}
            download
          >
            Export CSV
          </Button>
        </>
      }
      isFlush
    >
      <DataTable
        label="Ledger"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={IconReceipt}
            title="Nothing has moved the balance yet"
            action={<Button onClick={() => onDo('payment')}>Record a payment</Button>}
          >
            Payments, refunds, adjustments and the cost of each request are listed here.
          </EmptyState>
        }
      />
    </Panel>
  )
}
