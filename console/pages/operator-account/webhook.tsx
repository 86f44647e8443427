import { Button, Group, Modal, Switch, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBellCheck, IconWebhook } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall, OPERATOR } from '../../api/operator.ts'
import { useList } from '../../api/use-list.ts'
import { webhookQuery } from '../../api/webhook.ts'
import type { Account, IssuedWebhook, OperatorAlert, Webhook as StoredWebhook } from '../../api/wire.ts'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { FormDrawer } from '../../parts/forms/form-drawer.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { DeliveryBadge } from '../../parts/layout/delivery-badge.tsx'
import { EmptyState } from '../../parts/layout/empty-state.tsx'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Facts, Panel } from '../../parts/layout/panel.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { SecretOnce } from '../../parts/text/secret-once.tsx'
import { TimeBelow, TimeStamp } from '../../parts/text/time-stamp.tsx'

interface WebhookProps {
  readonly account: Account
}

const keyOf = ({ id }: Account) => [...ACCOUNTS_KEY, id, 'webhook']
const pathOf = ({ id }: Account) => accountCall(id, '/webhook')

export function Webhook({ account }: WebhookProps) {
  const [isEditing, editing] = useDisclosure(false)
  const [secret, setSecret] = useState<string | null>(null)
  const webhook = useQuery(webhookQuery(keyOf(account), pathOf(account)))
  const { data } = webhook
  return (
    <Panel title="Webhook" description="Receives this account’s alerts, signed with its secret.">
      {webhook.error !== null && <ErrorNotice error={webhook.error} onRetry={() => void webhook.refetch()} />}
      {data === null && (
        <EmptyState
          icon={IconWebhook}
          title="No webhook"
          action={<Button onClick={editing.open}>Set up a webhook</Button>}
        >
          Enter an address that accepts POST requests. The gateway calls it for each alert and tries again if
          a call fails.
        </EmptyState>
      )}
      {data && <Standing account={account} webhook={data} onEdit={editing.open} />}
      {isEditing && (
        <WebhookForm account={account} webhook={data ?? null} onClose={editing.close} onSecret={setSecret} />
      )}
      <Modal opened={secret !== null} onClose={() => setSecret(null)} title="The webhook’s secret">
        {secret !== null && <SecretOnce what="Signing secret" secret={secret} />}
      </Modal>
    </Panel>
  )
}

interface StandingProps extends WebhookProps {
  readonly webhook: StoredWebhook
  readonly onEdit: () => void
}

function Standing({ account, webhook, onEdit }: StandingProps) {
  const path = pathOf(account)
  const refreshes = [keyOf(account)]
  const toggle = useAction((enabled: boolean) => api.put(path, { url: webhook.url, enabled }), {
    done: 'The webhook was changed.',
    refreshes,
    isFailureShown: true,
  })
  return (
    <>
      <Facts
        facts={[
          { label: 'Address', value: webhook.url },
          { label: 'State', value: <StatusBadge state={webhook.enabled ? 'enabled' : 'disabled'} /> },
          { label: 'Since', value: <TimeStamp at={webhook.created_at} /> },
        ]}
      />
      <Group mt="md" gap="sm">
        <Switch
          label="Send alerts"
          checked={webhook.enabled}
          disabled={toggle.isRunning}
          onChange={(event) => toggle.run(event.currentTarget.checked)}
        />
        <Button variant="default" size="sm" onClick={onEdit}>
          Change the address
        </Button>
        <ConfirmAction
          title="Delete the webhook?"
          confirmLabel="Delete"
          onConfirm={() => api.delete(path)}
          done="The webhook was deleted."
          refreshes={refreshes}
          trigger={{ size: 'sm', children: 'Delete' }}
        >
          <Text size="sm">
            Alerts are no longer sent. The secret is deleted; a new webhook gets a new one.
          </Text>
        </ConfirmAction>
      </Group>
    </>
  )
}

interface WebhookFormProps extends WebhookProps {
  readonly webhook: StoredWebhook | null
  readonly onClose: () => void
  readonly onSecret: (secret: string) => void
}

function WebhookForm({ account, webhook, onClose, onSecret }: WebhookFormProps) {
  const enabled = webhook?.enabled ?? true
  return (
    <FormDrawer
      title={webhook === null ? 'Set up a webhook' : 'Change the webhook'}
      submitLabel="Save"
      onClose={onClose}
      initialValues={{ url: webhook?.url ?? 'https://' }}
      validate={{
        url: (url) => (/^https?:\/\/[^/]+/.test(url) ? null : 'Enter an address that begins with https://'),
      }}
      send={({ url }) => api.put<IssuedWebhook>(pathOf(account), { url: url.trim(), enabled })}
      done="The webhook was saved."
      refreshes={[keyOf(account)]}
      onDone={({ secret }) => {
        onClose()
        if (secret !== null) onSecret(secret)
      }}
    >
      {(field) => <TextInput label="Address" type="url" required data-autofocus {...field('url')} />}
    </FormDrawer>
  )
}

const COLUMNS: readonly Column<OperatorAlert>[] = [
  {
    head: 'Alert',
    cell: ({ title, at }) => (
      <>
        {title}
        <TimeBelow at={at} />
      </>
    ),
  },
  { head: 'Time', from: 'sm', cell: ({ at }) => <TimeStamp at={at} /> },
  { head: 'Webhook', cell: ({ delivery }) => <DeliveryBadge delivery={delivery} /> },
]

export function Alerts({ account }: { readonly account: Account }) {
  const key = [...ACCOUNTS_KEY, account.id, 'alerts']
  return (
    <TablePanel
      title="Alerts"
      list={useList<OperatorAlert>(key, `${OPERATOR}/alerts`, { account_id: account.id })}
      columns={COLUMNS}
      empty={{
        icon: IconBellCheck,
        title: 'No alerts yet',
        children:
          'Alerts about a low balance, keys near their budget or at their limit, and refused credentials of this account appear here.',
      }}
    />
  )
}
