import { Text } from '@mantine/core'
import type { LedgerEntry, Payment } from '../../api/wire.ts'
import { StatusBadge, type Tone } from '../layout/status-badge.tsx'
import { CURRENCY } from '../text/currency.ts'
import { TextLink } from '../text/links.tsx'
import { Money } from '../text/money.tsx'
import { TimeBelow, TimeStamp } from '../text/time-stamp.tsx'
import type { Column } from './table-panel.tsx'

const KINDS: Readonly<Record<LedgerEntry['kind'], { readonly label: string; readonly tone: Tone }>> = {
  payment: { label: 'Payment', tone: 'good' },
  settlement: { label: 'Request', tone: 'neutral' },
  refund: { label: 'Refund', tone: 'warning' },
  adjustment: { label: 'Adjustment', tone: 'info' },
}

/** The page that shows an entry's request. */
export type RequestRoute = '/requests/$id' | '/operator/settlements/$id'

export function ledgerColumns(route: RequestRoute): readonly Column<LedgerEntry>[] {
  return [
    {
      head: 'Kind',
      cell: (entry) => (
        <>
          <StatusBadge state={entry.kind} label={KINDS[entry.kind].label} tone={KINDS[entry.kind].tone} />
          <TimeBelow at={entry.created_at} />
          <Text size="xs" fw={400} mt={4} hiddenFrom="sm" className="wrapped" component="div">
            <Purpose entry={entry} route={route} />
          </Text>
        </>
      ),
    },
    { head: 'Time', cell: ({ created_at }) => <TimeStamp at={created_at} />, from: 'sm' },
    { head: 'Details', cell: (entry) => <Purpose entry={entry} route={route} />, from: 'sm' },
    {
      head: CURRENCY,
      isNumeric: true,
      cell: ({ amount }) => (
        <Text span inherit className={amount.startsWith('-') ? '' : 'ledger-gain'}>
          {!amount.startsWith('-') && amount !== '0' && '+'}
          <Money amount={amount} isBare />
        </Text>
      ),
    },
  ]
}

interface PurposeProps {
  readonly entry: LedgerEntry
  readonly route: RequestRoute
}

function Purpose({ entry: { kind, request_id, reference, note }, route }: PurposeProps) {
  if (request_id !== null) {
    return (
      <TextLink inherit className="mono" to={route} params={{ id: request_id }}>
        {request_id}
      </TextLink>
    )
  }
  // An adjustment always has a reason. Its reference only makes it idempotent.
  const parts = kind === 'adjustment' ? [note] : [reference, note]
  const words = parts.filter((word) => word !== null && word !== '')
  if (words.length === 0) return kind === 'settlement' ? 'Older requests, summed by day' : '–'
  return words.join(' · ')
}

export const PAYMENT_COLUMNS: readonly Column<Payment>[] = [
  {
    head: 'Reference',
    cell: ({ reference, note, created_at }) => (
      <>
        {reference}
        <TimeBelow at={created_at} />
        {note !== null && (
          <Text size="xs" c="dimmed" fw={400} mt={4} hiddenFrom="sm" className="wrapped" component="div">
            {note}
          </Text>
        )}
      </>
    ),
  },
  { head: 'Time', cell: ({ created_at }) => <TimeStamp at={created_at} />, from: 'sm' },
  { head: 'Note', cell: ({ note }) => note ?? '–', from: 'sm' },
  { head: CURRENCY, isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
]
