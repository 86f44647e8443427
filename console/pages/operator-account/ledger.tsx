import { Anchor, Button, Text } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { withQuery } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall, OPERATOR } from '../../api/operator-lists.ts'
import type { LedgerEntry, OperatorAccount } from '../../api/operator-shapes.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

const TONES = { payment: 'good', refund: 'warning', adjustment: 'info', settlement: 'neutral' } as const

const COLUMNS: readonly Column<LedgerEntry>[] = [
  { head: 'When', cell: ({ created_at }) => <TimeStamp at={created_at} /> },
  {
    head: 'What',
    cell: ({ kind }) => <StatusBadge state={kind} tone={TONES[kind]} label={kindName(kind)} />,
  },
  { head: 'For', cell: (entry) => <Reason entry={entry} /> },
  { head: 'Amount, USDT', isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
]

interface LedgerProps {
  readonly account: OperatorAccount
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

function kindName(kind: LedgerEntry['kind']): string {
  return kind === 'settlement' ? 'request' : kind
}

function Reason({ entry: { request_id, reference, note } }: { readonly entry: LedgerEntry }) {
  if (request_id !== null) {
    return (
      <Anchor
        size="sm"
        className="mono"
        renderRoot={(props) => <Link to="/operator/settlements/$id" params={{ id: request_id }} {...props} />}
      >
        {request_id}
      </Anchor>
    )
  }
  return (
    <span className="two-lines">
      {reference ?? note}
      {reference !== null && note !== null && (
        <Text span size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </span>
  )
}
