import { Alert, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { IconBellCheck, IconBellOff } from '@tabler/icons-react'
import { OPERATOR, useAccountNames } from '../../api/operator.ts'
import { useFreshOperatorList, useList } from '../../api/use-list.ts'
import type { AlertChannel, OperatorAlert } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { recordKey } from '../../parts/record-page.tsx'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'
import { KIND_WORDS } from '../../parts/text/describe-alert.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { TimeBelow, TimeStamp } from '../../parts/text/time-stamp.tsx'
import { describeDelivery, listTold } from './alert-words.ts'

export function Recent() {
  useFreshOperatorList('alerts')
  const nameOf = useAccountNames()
  const [{ kind, open }, setState] = useUrlState({ kind: '', open: '' })
  const alerts = useList<OperatorAlert>(['operator', 'alerts'], `${OPERATOR}/alerts`, { kind, open })
  const isNarrowed = kind !== '' || open !== ''
  const channels = useList<AlertChannel>(recordKey('alert-channels'), `${OPERATOR}/alert-channels`)
  const isUntold = !channels.isPending && channels.error === null && !channels.rows.some(isEnabled)
  return (
    <Stack gap="md">
      {isUntold && (
        <Alert color="yellow" icon={<IconBellOff size={18} aria-hidden />} title="Nobody is told of alerts">
          Add a channel, so that alerts reach you in Slack, by e-mail or at an address of your own.
        </Alert>
      )}
      <Group gap="sm">
        <NativeSelect
          aria-label="Status"
          value={open}
          onChange={(event) => setState({ open: event.currentTarget.value })}
          data={STATUSES}
        />
        <NativeSelect
          aria-label="Kind of alert"
          value={kind}
          onChange={(event) => setState({ kind: event.currentTarget.value })}
          data={KINDS}
        />
      </Group>
      <TablePanel
        label="Recent alerts"
        list={alerts}
        columns={columnsOf(nameOf)}
        empty={
          isNarrowed
            ? {
                ...NO_MATCH,
                action: { label: 'Show all alerts', onClick: () => setState({ kind: '', open: '' }) },
              }
            : NONE
        }
      />
    </Stack>
  )
}

const STATUSES = [
  { value: '', label: 'All statuses' },
  { value: 'true', label: 'Open' },
  { value: 'false', label: 'Resolved' },
]

const KINDS = [
  { value: '', label: 'All kinds' },
  ...Object.entries(KIND_WORDS).map(([value, label]) => ({ value, label })),
]

const NONE = {
  icon: IconBellCheck,
  title: 'No alerts yet',
  children:
    'Alerts appear here when a supplier keeps failing or refuses a credential, a route has no price, a balance is low, or a part of the gateway needs attention.',
}

const NO_MATCH = {
  icon: IconBellCheck,
  title: 'No matching alerts',
  children: 'No alert has this status and kind.',
}

function isEnabled({ enabled }: AlertChannel): boolean {
  return enabled
}

function columnsOf(nameOf: (id: string) => string): readonly Column<OperatorAlert>[] {
  return [
    {
      head: 'Alert',
      cell: (alert) => (
        <>
          <TwoLines
            below={
              // The title says the kind in other words, and a phone has no room for both.
              <Text span inherit visibleFrom="sm">
                {KIND_WORDS[alert.kind]}
              </Text>
            }
          >
            <Text span inherit fw={550} className="wrapped">
              {alert.title}
            </Text>
            <TimeBelow at={alert.at} />
          </TwoLines>
          <Stack gap={4} mt={4} hiddenFrom="sm" align="flex-start">
            <About alert={alert} nameOf={nameOf} isLinkOnly />
            <WhoWasTold alert={alert} />
          </Stack>
        </>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status status={status} /> },
    { head: 'About', from: 'md', cell: (alert) => <About alert={alert} nameOf={nameOf} /> },
    { head: 'Sent to', from: 'sm', cell: (alert) => <WhoWasTold alert={alert} /> },
    { head: 'Time', from: 'sm', cell: ({ at }) => <TimeStamp at={at} /> },
  ]
}

interface AboutProps {
  readonly alert: OperatorAlert
  readonly nameOf: (id: string) => string
  /** Where the title has named it already. */
  readonly isLinkOnly?: boolean
}

/** A link to where one can do something about it. */
function About({ alert: { account_id, data, subject }, nameOf, isLinkOnly = false }: AboutProps) {
  const { model, supplier, sink, node } = data
  const link = { size: 'sm', className: 'shortened' } as const
  if (account_id !== null) {
    return (
      <TextLink {...link} to="/operator/accounts/$id" params={{ id: account_id }}>
        {nameOf(account_id)}
      </TextLink>
    )
  }
  if (typeof model === 'string') {
    return (
      <TextLink {...link} to="/operator/models/$id" params={{ id: model }}>
        {model}
      </TextLink>
    )
  }
  if (typeof supplier === 'string') {
    return (
      <TextLink {...link} to="/operator/suppliers/$id" params={{ id: supplier }}>
        {supplier}
      </TextLink>
    )
  }
  if (typeof sink === 'string') {
    return (
      <TextLink {...link} to="/operator/sinks">
        {sink}
      </TextLink>
    )
  }
  if (isLinkOnly) return null
  return <span className="wrapped">{typeof node === 'string' ? node : subject}</span>
}

const STATUS_WORDS = {
  raised: { state: 'open', tone: 'warning' },
  resolved: { state: 'resolved', tone: 'good' },
} as const

function Status({ status }: Pick<OperatorAlert, 'status'>) {
  if (status === null) return <StatusBadge state="one-time" tone="neutral" />
  return <StatusBadge {...STATUS_WORDS[status]} />
}

function WhoWasTold({ alert }: { readonly alert: OperatorAlert }) {
  // Sent without the database, so nothing is stored about it.
  if (alert.kind === 'journal.waiting') return <Text size="sm">Channels, directly</Text>
  const told = listTold(alert)
  if (told.length === 0) return <Text size="sm">No channel</Text>
  return (
    <Stack gap={4}>
      {told.map(({ who, state, failure }) => (
        <TwoLines key={who} below={state === 'delivered' ? null : failure}>
          <span>
            {who}{' '}
            <StatusBadge
              state={state}
              label={describeDelivery({ state, failure })}
              {...(failure !== null && state === 'pending' && { tone: 'warning' })}
            />
          </span>
        </TwoLines>
      ))}
    </Stack>
  )
}
