import { Button, Group, Modal, Switch, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconWebhook } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import type { Account, Webhook as StoredWebhook } from '../../api/wire.ts'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'
import { useAction } from '../../parts/use-action.ts'
import { WebhookForm } from './webhook-form.tsx'

interface WebhookProps {
  readonly account: Account
}

export function Webhook({ account }: WebhookProps) {
  const [isEditing, editing] = useDisclosure(false)
  const [secret, setSecret] = useState<string | null>(null)
  const path = accountCall(account.id, '/webhook')
  const webhook = useQuery({
    queryKey: [...ACCOUNTS_KEY, account.id, 'webhook'],
    queryFn: ({ signal }) => readWebhook(path, signal),
  })
  const { data } = webhook
  return (
    <Panel title="Webhook" description="Alerts of this account are sent there, signed with its secret.">
      {webhook.error !== null && <ErrorNotice error={webhook.error} onRetry={() => void webhook.refetch()} />}
      {data === null && (
        <EmptyState
          icon={IconWebhook}
          title="No webhook"
          action={<Button onClick={editing.open}>Set a webhook</Button>}
        >
          Give an address that takes POST requests; it is called for each alert and called again when it
          fails.
        </EmptyState>
      )}
      {data && <Standing account={account} webhook={data} onEdit={editing.open} />}
      {isEditing && (
        <WebhookForm
          path={path}
          account={account}
          webhook={data ?? null}
          onClose={editing.close}
          onSecret={setSecret}
        />
      )}
      <Modal
        opened={secret !== null}
        onClose={() => setSecret(null)}
        title="The webhook’s secret"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {secret !== null && <SecretOnce what="Signing secret" secret={secret} />}
      </Modal>
    </Panel>
  )
}

/** Null when there is none, which is no failure here. */
async function readWebhook(path: string, signal: AbortSignal): Promise<StoredWebhook | null> {
  try {
    return await api.get<StoredWebhook>(path, { signal })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

interface StandingProps extends WebhookProps {
  readonly webhook: StoredWebhook
  readonly onEdit: () => void
}

function Standing({ account, webhook, onEdit }: StandingProps) {
  const path = accountCall(account.id, '/webhook')
  const refreshes = [[...ACCOUNTS_KEY, account.id, 'webhook']]
  const toggle = useAction((enabled: boolean) => api.put(path, { url: webhook.url, enabled }), {
    done: 'The webhook was changed.',
    refreshes,
    isFailureShown: true,
  })
  const remove = useAction(() => api.delete(path), { done: 'The webhook was deleted.', refreshes })
  return (
    <>
      <Facts
        facts={[
          { label: 'Address', value: webhook.url },
          {
            label: 'State',
            value: <StatusBadge state={webhook.enabled ? 'enabled' : 'disabled'} />,
          },
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
          onConfirm={() => remove.runAndWait(undefined)}
          trigger={(open) => (
            <Button variant="default" size="sm" onClick={open}>
              Delete
            </Button>
          )}
        >
          <Text size="sm">
            Nobody is told of alerts any more. Its secret is gone; a new webhook gets a new one.
          </Text>
        </ConfirmAction>
      </Group>
    </>
  )
}
