import { Checkbox, Menu, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconBell } from '@tabler/icons-react'
import type { AlertChannelChange } from '../../../src/vocabulary/observability/alert-channel.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import { USUAL_ALERT_KINDS } from '../../../src/vocabulary/words.ts'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { useFreshOperatorList } from '../../api/use-list.ts'
import type { AlertChannel, ChannelTest } from '../../api/wire.ts'
import { checkEmail } from '../../parts/forms/person-rules.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { useOptimistic } from '../../parts/forms/use-optimistic.ts'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { RecordActions, RecordPanel, recordCall, recordKey } from '../../parts/record-page.tsx'
import { type Column, TwoLines } from '../../parts/tables/table-panel.tsx'
import { type AlertKind, KIND_WORDS } from '../../parts/text/describe-alert.ts'
import { describeKinds, TYPE_WORDS } from './alert-words.ts'

const SLUG = 'alert-channels'
export const NOUN = 'channel'

export function Channels() {
  useFreshOperatorList(SLUG)
  return (
    <RecordPanel
      slug={SLUG}
      title="Channels"
      noun={NOUN}
      icon={IconBell}
      purpose="A channel tells operators of alerts as they happen, and again when they are over: in Slack, by e-mail, or as a signed call to your own address."
      exampleId="on-call"
      columns={COLUMNS}
      actions={(channel, onEdit) => <Actions channel={channel} onEdit={onEdit} />}
      valuesOf={valuesOf}
      bodyOf={bodyOf}
      isPatched
      validate={{
        id: (id) =>
          /^[a-z0-9][a-z0-9-]*$/.test(id.trim()) ? null : 'Use lower-case letters, digits and hyphens',
        address: (address, { isNew, type }) => checkAddress(address.trim(), { isNew, type }),
        kinds: (kinds) => (kinds.length === 0 ? 'Choose at least one' : null),
      }}
      fields={(_, form) => <Fields form={form} />}
    />
  )
}

const COLUMNS: readonly Column<AlertChannel>[] = [
  {
    head: 'Channel',
    cell: ({ id, address }) => (
      <TwoLines below={address} belowClass="wrapped">
        {id}
      </TwoLines>
    ),
  },
  { head: 'Type', from: 'sm', cell: ({ type }) => TYPE_WORDS[type] },
  { head: 'State', cell: (channel) => <State channel={channel} /> },
  { head: 'Gets', from: 'sm', cell: ({ kinds }) => describeKinds(kinds) },
  { head: 'Waiting', isNumeric: true, from: 'sm', cell: ({ waiting }) => waiting },
]

function State({ channel: { enabled, last_failure } }: { readonly channel: AlertChannel }) {
  if (!enabled) return <StatusBadge state="disabled" />
  if (last_failure === null) return <StatusBadge state="enabled" />
  return (
    <>
      <StatusBadge state="failing" tone="bad" />
      <Text size="xs" c="dimmed" fw={400} mt={4} className="wrapped" component="div">
        {last_failure}
      </Text>
    </>
  )
}

interface ActionsProps {
  readonly channel: AlertChannel
  readonly onEdit: () => void
}

function Actions({ channel, onEdit }: ActionsProps) {
  const { id, enabled } = channel
  const change = useOptimistic<AlertChannel, Pick<AlertChannel, 'enabled'>>({
    key: recordKey(SLUG),
    act: (row, body) => api.patch(recordCall(SLUG, row.id), body),
  })
  const test = useAction(() => sendTest(id), { done: `${id} accepted the test.`, isFailureShown: true })
  return (
    <RecordActions
      slug={SLUG}
      noun={NOUN}
      id={id}
      onEdit={onEdit}
      consequence="Messages that wait for it are not sent."
    >
      <Menu.Item onClick={() => test.run(undefined)}>Send a test</Menu.Item>
      <Menu.Item onClick={() => void change(channel, { enabled: !enabled })}>
        {enabled ? 'Disable' : 'Enable'}
      </Menu.Item>
    </RecordActions>
  )
}

async function sendTest(id: string): Promise<void> {
  const { failure } = await api.post<ChannelTest>(recordCall(SLUG, id, '/test'))
  if (failure !== null)
    throw new ApiError(`${id} did not accept the test. ${failure}`, { code: 'test_failed' })
}

type Values = ReturnType<typeof valuesOf>

const ADDRESS: Readonly<Record<AlertChannel['type'], { readonly label: string; readonly example: string }>> =
  {
    slack: { label: 'Slack webhook URL', example: 'https://hooks.slack.com/services/…' },
    email: { label: 'E-mail address', example: 'on-call@example.com' },
    webhook: { label: 'Address', example: 'https://hooks.example.com/alerts' },
  }

function Fields({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { isNew, type, shownAddress } = form.values
  const { label, example } = ADDRESS[type]
  return (
    <>
      {isNew && (
        <NativeSelect
          label="Type"
          data={Object.entries(TYPE_WORDS).map(([value, word]) => ({ value, label: word }))}
          {...form.getInputProps('type')}
        />
      )}
      <TextInput
        label={label}
        placeholder={isNew ? example : shownAddress}
        description={isNew ? undefined : 'Leave empty to keep the current one.'}
        required={isNew}
        {...form.getInputProps('address')}
      />
      <Checkbox.Group label="Alerts it gets" required {...form.getInputProps('kinds')}>
        <Stack gap={8} mt={8}>
          {Object.entries(KIND_WORDS).map(([kind, words]) => (
            <Checkbox key={kind} value={kind} label={words} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Switch label="Send alerts" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </>
  )
}

function valuesOf(channel: AlertChannel | null) {
  return {
    id: channel?.id ?? '',
    isNew: channel === null,
    type: channel?.type ?? ('slack' as const),
    shownAddress: channel?.address ?? '',
    // Addresses are not shown in full, so an empty field keeps the stored one.
    address: '',
    kinds: [...(channel?.kinds ?? USUAL_ALERT_KINDS)] as AlertKind[],
    enabled: channel?.enabled ?? true,
  }
}

function bodyOf({ isNew, type, address, kinds, enabled }: Values): Sent<typeof AlertChannelChange> {
  const given = address.trim()
  return { kinds, enabled, ...(isNew && { type }), ...(given !== '' && { address: given }) }
}

function checkAddress(address: string, { isNew, type }: Pick<Values, 'isNew' | 'type'>): string | null {
  if (address === '' && !isNew) return null
  if (type === 'email') return checkEmail(address)
  return /^https?:\/\/[^/\s]+/.test(address) ? null : 'Enter an address that begins with https://'
}
