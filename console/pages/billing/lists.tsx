import { Stack, Text } from '@mantine/core'
import { IconBellCheck, IconCash, IconScale } from '@tabler/icons-react'
import { accountPath } from '../../api/client.ts'
import { useList } from '../../api/use-list.ts'
import type { Alert, LedgerEntry, Payment } from '../../api/wire.ts'
import { DeliveryBadge } from '../../parts/layout/delivery-badge.tsx'
import { ledgerColumns, PAYMENT_COLUMNS } from '../../parts/tables/ledger-columns.tsx'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { describeAlert } from '../../parts/text/describe-alert.ts'
import { TimeBelow, TimeStamp } from '../../parts/text/time-stamp.tsx'

interface OfAccount {
  readonly account: string
}

const LEDGER_COLUMNS = ledgerColumns('/requests/$id')

export function Ledger({ account }: OfAccount) {
  return (
    <TablePanel
      title="Ledger"
      description="Every change to your balance, newest first. Your balance is the sum of all entries."
      list={useList<LedgerEntry>([account, 'ledger'], accountPath(account, '/ledger'))}
      columns={LEDGER_COLUMNS}
      empty={{
        icon: IconScale,
        title: 'No entries yet',
        children: 'Payments, the cost of requests, refunds and adjustments appear here.',
      }}
    />
  )
}

export function PaymentList({ account }: OfAccount) {
  return (
    <TablePanel
      title="Payments"
      description="Payments to this account. Open one for its receipt. Their total decides your tier."
      list={useList<Payment>([account, 'payments'], accountPath(account, '/payments'))}
      columns={PAYMENT_COLUMNS}
      rowLink={({ id }) => ({ to: '/billing/receipts/$id', params: { id } })}
      empty={{
        icon: IconCash,
        title: 'No payments yet',
        children:
          'Ask your operator how to pay. Payments are added to your balance as soon as they are recorded.',
      }}
    />
  )
}

const ALERT_COLUMNS: readonly Column<Alert>[] = [
  {
    head: 'Alert',
    cell: (alert) => {
      const { title, advice } = describeAlert(alert)
      return (
        <Stack gap={0}>
          <Text size="sm" fw={550}>
            {title}
          </Text>
          <Text size="sm" c="dimmed">
            {advice}
          </Text>
          <TimeBelow at={alert.at} />
        </Stack>
      )
    },
  },
  { head: 'Time', from: 'sm', cell: ({ at }) => <TimeStamp at={at} /> },
  { head: 'Webhook', cell: ({ delivery }) => <DeliveryBadge delivery={delivery} />, from: 'sm' },
]

export function AlertList({ account }: OfAccount) {
  return (
    <TablePanel
      title="Alerts"
      description="Alerts never block requests. To receive them in your own systems, set up a webhook."
      list={useList<Alert>([account, 'alerts'], accountPath(account, '/alerts'))}
      columns={ALERT_COLUMNS}
      empty={{
        icon: IconBellCheck,
        title: 'No alerts yet',
        children:
          'You are alerted when a key nears its budget or reaches its limit, when your balance is low, or when a supplier refuses one of your own credentials.',
      }}
    />
  )
}
