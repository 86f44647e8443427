import { Stack, Text, Tooltip } from '@mantine/core'
import { IconBellCheck } from '@tabler/icons-react'
import { accountPath } from '../../api/client.ts'
import { useList } from '../../api/use-list.ts'
import type { Alert } from '../../api/wire.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { describeAlert } from '../../parts/describe-alert.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

const DELIVERIES: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  none: { label: 'No webhook', tone: 'neutral' },
  pending: { label: 'Under way', tone: 'info' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
}

const COLUMNS: readonly Column<Alert>[] = [
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

export function AlertList({ account }: { readonly account: string }) {
  const list = useList<Alert>([account, 'alerts'], accountPath(account, '/alerts'))
  return (
    <Panel
      title="Alerts"
      description="What you should hear of. Alerts never block anything; a webhook tells your own systems."
      isFlush
    >
      <DataTable
        label="Alerts"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconBellCheck} title="All quiet">
            You hear of keys that near their budget or reach their limit, of a low balance, and of own
            credentials that a supplier refuses.
          </EmptyState>
        }
      />
    </Panel>
  )
}
