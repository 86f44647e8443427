import { Menu, NumberInput, Switch, Text, TextInput } from '@mantine/core'
import { IconDatabaseExport } from '@tabler/icons-react'
import type { SinkPut } from '../../../src/vocabulary/observability/sink.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import { api } from '../../api/client.ts'
import { useFreshOperatorList } from '../../api/use-list.ts'
import type { Sink } from '../../api/wire.ts'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { RecordActions, RecordPage, recordCall, recordKey } from '../../parts/record-page.tsx'
import { type Column, TwoLines } from '../../parts/tables/table-panel.tsx'
import { formatCount, formatNumber } from '../../parts/text/format.ts'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

const SLUG = 'sinks'
const NOUN = 'sink'

export function Page() {
  useFreshOperatorList(SLUG)
  return (
    <RecordPage
      slug={SLUG}
      title="Sinks"
      description="Where the gateway sends settled requests and audit events, for analysis elsewhere. During an outage, records wait for up to 14 days."
      noun={NOUN}
      icon={IconDatabaseExport}
      purpose="Add a sink to send every settled request and audit event to your own address, a bucket, or a folder of the gateway. It gets what is stored from then on; use an export for what came before."
      exampleId="warehouse"
      columns={COLUMNS}
      actions={(sink, onEdit) => <Actions sink={sink} onEdit={onEdit} />}
      valuesOf={valuesOf}
      bodyOf={bodyOf}
      validate={{
        id: (id) =>
          /^[a-z0-9][a-z0-9-]*$/.test(id.trim()) ? null : 'Use lower-case letters, digits and hyphens',
        target: (target) =>
          /^(https?|s3|folder):\/\/[^/\s]+/.test(target.trim())
            ? null
            : 'Enter an address, s3://bucket/prefix or folder://name',
        events: (events, { settlements }) =>
          events || settlements ? null : 'Choose settled requests, audit events or both',
      }}
      fields={(field) => (
        <>
          <TextInput
            label="Target"
            description="An http or https address, s3://bucket/prefix, or folder://name in the data folder."
            placeholder="https://collector.example.com/turnpike"
            required
            {...field('target')}
          />
          <Switch label="Settled requests" {...field('settlements', { type: 'checkbox' })} />
          <Switch
            label="Audit events"
            description="Changes by operators and customers, and alerts."
            {...field('events', { type: 'checkbox' })}
          />
          <NumberInput
            label="Wait for more records"
            description="Records are sent together. A longer wait makes fewer and larger files."
            min={0}
            max={3_600}
            allowDecimal={false}
            suffix=" s"
            {...field('wait_seconds')}
          />
          <Switch
            label="Enabled"
            description="A disabled sink receives nothing, and the records that wait for it are deleted."
            {...field('enabled', { type: 'checkbox' })}
          />
        </>
      )}
    />
  )
}

const COLUMNS: readonly Column<Sink>[] = [
  {
    head: 'Sink',
    cell: ({ id, target }) => (
      <TwoLines below={target} belowClass="wrapped">
        {id}
      </TwoLines>
    ),
  },
  { head: 'State', cell: (sink) => <State sink={sink} /> },
  { head: 'Receives', from: 'md', cell: (sink) => describeStreams(sink) },
  { head: 'Waiting', isNumeric: true, from: 'sm', cell: ({ progress }) => <Waiting progress={progress} /> },
  {
    head: 'Sent',
    isNumeric: true,
    from: 'sm',
    cell: ({ progress: { sent, last_sent_at } }) => (
      <TwoLines below={last_sent_at === null ? null : <TimeStamp at={last_sent_at} as="relative" />}>
        {formatNumber(sent)}
      </TwoLines>
    ),
  },
  {
    head: 'Lost',
    isNumeric: true,
    from: 'sm',
    cell: ({ progress: { lost } }) => (
      <Text span inherit {...(lost > 0 && { c: 'red', fw: 600 })}>
        {formatNumber(lost)}
      </Text>
    ),
  },
]

function Waiting({ progress: { waiting, oldest_at } }: Pick<Sink, 'progress'>) {
  if (oldest_at === null) return formatNumber(waiting)
  return (
    <TwoLines
      below={
        <>
          oldest <TimeStamp at={oldest_at} as="relative" />
        </>
      }
    >
      {formatNumber(waiting)}
    </TwoLines>
  )
}

function State({ sink: { enabled, progress } }: { readonly sink: Sink }) {
  if (!enabled) return <StatusBadge state="disabled" />
  if (progress.failures === 0) return <StatusBadge state="enabled" />
  const tries = progress.failures === 1 ? 'once' : `${formatNumber(progress.failures)} times`
  return (
    <TwoLines
      belowClass="wrapped"
      below={
        <>
          {progress.last_failure} Failed {tries}.{' '}
          <Text span inherit hiddenFrom="sm">
            {formatNumber(progress.waiting)} waiting.
          </Text>
        </>
      }
    >
      <StatusBadge state="failing" tone="bad" />
    </TwoLines>
  )
}

function describeStreams({ settlements, events }: Pick<Sink, 'settlements' | 'events'>): string {
  if (settlements && events) return 'Requests and events'
  return settlements ? 'Requests' : 'Events'
}

interface ActionsProps {
  readonly sink: Sink
  readonly onEdit: () => void
}

function Actions({ sink: { id, enabled, progress }, onEdit }: ActionsProps) {
  const call = (isEnabled: boolean) => api.patch(recordCall(SLUG, id), { enabled: isEnabled })
  const refreshes = [recordKey(SLUG)]
  const enable = useAction(() => call(true), { done: `${id} was enabled.`, refreshes, isFailureShown: true })
  const waiting = formatCount(progress.waiting, 'record')
  return (
    <ConfirmAction
      title={`Disable ${id}?`}
      confirmLabel="Disable"
      onConfirm={() => call(false)}
      refreshes={refreshes}
      done={`${id} was disabled.`}
      trigger={(disable) => (
        <RecordActions
          slug={SLUG}
          noun={NOUN}
          id={id}
          onEdit={onEdit}
          consequence="Records that wait for it are not sent."
        >
          <Menu.Item onClick={() => (enabled ? disable() : enable.run(undefined))}>
            {enabled ? 'Disable' : 'Enable'}
          </Menu.Item>
        </RecordActions>
      )}
    >
      It gets nothing while it is disabled, and does not get it later. What waits for it now, {waiting}, is
      deleted.
    </ConfirmAction>
  )
}

type Values = ReturnType<typeof valuesOf>

const USUAL_WAIT_SECONDS = 5

function valuesOf(sink: Sink | null) {
  return {
    id: sink?.id ?? '',
    target: sink?.target ?? '',
    settlements: sink?.settlements ?? true,
    events: sink?.events ?? true,
    wait_seconds: sink?.wait_seconds ?? USUAL_WAIT_SECONDS,
    enabled: sink?.enabled ?? true,
  }
}

function bodyOf({ target, settlements, events, wait_seconds, enabled }: Values): Sent<typeof SinkPut> {
  return { target: target.trim(), settlements, events, wait_seconds: Number(wait_seconds), enabled }
}
