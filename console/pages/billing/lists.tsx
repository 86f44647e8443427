import { Stack, Text, Tooltip } from '@mantine/core'
import { IconBellCheck, IconCash, IconScale } from '@tabler/icons-react'
import { accountPath } from '../../api/client.ts'
import { useList } from '../../api/use-list.ts'
import type { Alert, LedgerEntry, Payment } from '../../api/wire.ts'
import { StatusBadge, type Tone } from '../../parts/layout/status-badge.tsx'
import { ledgerColumns, PAYMENT_COLUMNS } from '../../parts/tables/ledger-columns.tsx'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { describeAlert } from '../../parts/text/describe-alert.ts'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

interface OfAccount {
  readonly account: string
}

const LEDGER_COLUMNS = ledgerColumns('/requests/$id')

export function Ledger({ account }: OfAccount) {
  return (
    <TablePanel
      title="Ledger"
      description="Everything that moved the balance, newest first. The balance is the sum of all lines."
      list={useList<LedgerEntry>([account, 'ledger'], accountPath(account, '/ledger'))}
      columns={LEDGER_COLUMNS}
      empty={{
        icon: IconScale,
        title: 'Nothing has moved yet',
        children:
          'Payments, what requests cost, refunds and adjustments are written here, to the last digit.',
      }}
    />
  )
}

export function PaymentList({ account }: OfAccount) {
  return (
    <TablePanel
      title="Payments"
      description="What was paid in. The total raises your tier: see the overview."
      list={useList<Payment>([account, 'payments'], accountPath(account, '/payments'))}
      columns={PAYMENT_COLUMNS}
      empty={{
        icon: IconCash,
        title: 'No payment yet',
        children:
          'Your operator records payments; ask them how to pay. They are in the balance the moment they are recorded.',
      }}
    />
  )
}

const DELIVERIES: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  none: { label: 'No webhook', tone: 'neutral' },
  pending: { label: 'Under way', tone: 'info' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
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
        </Stack>
      )
    },
  },
  { head: 'Time', cell: ({ at }) => <TimeStamp at={at} /> },
  { head: 'Webhook', cell: ({ delivery }) => <Delivery delivery={delivery} />, from: 'sm' },
]

function Delivery({ delivery: { state, tries, last_failure } }: Pick<Alert, 'delivery'>) {
  const { label, tone } = DELIVERIES[state] ?? { label: state, tone: 'neutral' }
  const badge = (
    <StatusBadge state={state} label={tries > 1 ? `${label}, ${tries} tries` : label} tone={tone} />
  )
  if (last_failure === null) return badge
  return (
    <Tooltip label={last_failure} multiline maw={320}>
      <span>{badge}</span>
    </Tooltip>
  )
}

export function AlertList({ account }: OfAccount) {
  return (
    <TablePanel
      title="Alerts"
      description="What you should hear of. Alerts never block anything; a webhook tells your own systems."
      list={useList<Alert>([account, 'alerts'], accountPath(account, '/alerts'))}
      columns={ALERT_COLUMNS}
      empty={{
        icon: IconBellCheck,
        title: 'All quiet',
        children:
          'You hear of keys that near their budget or reach their limit, of a low balance, and of own credentials that a supplier refuses.',
      }}
    />
  )
}
