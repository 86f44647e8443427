import { Anchor, Text } from '@mantine/core'
import { IconScale } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type LedgerEntry, type LedgerKind, useLedger } from '../../api/ledger.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

const KINDS: Readonly<Record<LedgerKind, { readonly label: string; readonly tone: Tone }>> = {
  payment: { label: 'Payment', tone: 'good' },
  settlement: { label: 'Request', tone: 'neutral' },
  refund: { label: 'Refund', tone: 'warning' },
  adjustment: { label: 'Adjustment', tone: 'info' },
}

const COLUMNS: readonly Column<LedgerEntry>[] = [
  {
    head: 'Kind',
    cell: ({ kind, created_at }) => (
      <>
        <StatusBadge state={kind} label={KINDS[kind].label} tone={KINDS[kind].tone} />
        <Text size="xs" c="dimmed" mt={4} hiddenFrom="sm">
          <TimeStamp at={created_at} />
        </Text>
      </>
    ),
  },
  { head: 'Time', cell: ({ created_at }) => <TimeStamp at={created_at} />, from: 'sm' },
  { head: 'What for', cell: (entry) => <Purpose entry={entry} />, from: 'sm' },
  {
    head: 'USDT',
    isNumeric: true,
    cell: ({ amount }) => (
      <Text span inherit className={amount.startsWith('-') ? '' : 'ledger-gain'}>
        {!amount.startsWith('-') && amount !== '0' && '+'}
        <Money amount={amount} isBare />
      </Text>
    ),
  },
]

function Purpose({ entry: { kind, request_id, reference, note } }: { readonly entry: LedgerEntry }) {
  if (request_id !== null) {
    return (
      <Anchor
        inherit
        className="ledger-id"
        renderRoot={(props) => <Link to="/requests/$id" params={{ id: request_id }} {...props} />}
      >
        {request_id}
      </Anchor>
    )
  }
  const words = [reference, note].filter((word) => word !== null && word !== '')
  if (words.length === 0) return kind === 'settlement' ? 'Older requests of a day, together' : '–'
  return words.join(' · ')
}

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
