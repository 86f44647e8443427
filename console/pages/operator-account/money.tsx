import { Button } from '@mantine/core'
import { IconCoin, IconReceipt } from '@tabler/icons-react'
import { withQuery } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall, OPERATOR } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import type { Account, LedgerEntry, Payment } from '../../api/wire.ts'
import { ledgerColumns, PAYMENT_COLUMNS } from '../../parts/tables/ledger-columns.tsx'
import { TablePanel } from '../../parts/tables/table-panel.tsx'
import { Money } from '../../parts/text/money.tsx'

interface MoneyProps {
  readonly account: Account
  readonly onDo: (what: string) => void
}

export function Payments({ account, onDo }: MoneyProps) {
  return (
    <TablePanel
      title="Payments"
      actions={
        <Button size="sm" onClick={() => onDo('payment')}>
          Record payment
        </Button>
      }
      list={useList<Payment>([...ACCOUNTS_KEY, account.id, 'payments'], accountCall(account.id, '/payments'))}
      columns={PAYMENT_COLUMNS}
      empty={{
        icon: IconCoin,
        title: 'No payments yet',
        children:
          'Recorded payments are added to the balance immediately. Tiers are updated every full hour.',
      }}
    />
  )
}

const LEDGER_COLUMNS = ledgerColumns('/operator/settlements/$id')

export function Ledger({ account, onDo }: MoneyProps) {
  return (
    <TablePanel
      title="Ledger"
      description={
        <>
          Every change to the balance, newest first. The balance is their sum:{' '}
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
      list={useList<LedgerEntry>([...ACCOUNTS_KEY, account.id, 'ledger'], accountCall(account.id, '/ledger'))}
      columns={LEDGER_COLUMNS}
      empty={{
        icon: IconReceipt,
        title: 'No entries yet',
        action: <Button onClick={() => onDo('payment')}>Record a payment</Button>,
        children: 'Payments, refunds, adjustments and the cost of each request appear here.',
      }}
    />
  )
}
