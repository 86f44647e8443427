import { Alert, Button, Code, Group, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconCheck, IconSend, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useWebhook, webhookCalls } from '../../api/webhook.ts'
import type { Webhook, WebhookTest } from '../../api/wire.ts'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { CodeBlock } from '../../parts/text/code-block.tsx'
import { SecretOnce } from '../../parts/text/secret-once.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

const CHECK = `const [, t, v1] = /^t=(\\d+),v1=([0-9a-f]{64})$/.exec(request.headers['turnpike-signature'])
const expected = createHmac('sha256', secret).update(\`\${t}.\${body}\`).digest()
const isGenuine = timingSafeEqual(Buffer.from(v1, 'hex'), expected)`

export function WebhookPanel({ account }: { readonly account: string }) {
  const webhook = useWebhook(account)
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <Stack gap="lg">
      <Panel
        title="Webhook"
        description="Each alert is sent to your address immediately, as a signed POST request."
      >
        <Stack maw={620}>
          <ErrorNotice error={webhook.error} onRetry={() => void webhook.refetch()} />
          {webhook.isPending && <Skeleton height={90} />}
          {secret !== null && <SecretOnce what="Signing secret" secret={secret} />}
          {webhook.data !== undefined && (
            <WebhookForm
              key={webhook.data?.created_at ?? 'none'}
              account={account}
              webhook={webhook.data}
              onSecret={setSecret}
            />
          )}
        </Stack>
      </Panel>
      {webhook.data && <TestPanel account={account} isEnabled={webhook.data.enabled} />}
      <Panel
        title="Verify the signature"
        description="Make sure that a call comes from this gateway before you act on it."
      >
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            <Code>t</Code> is the time of sending in Unix seconds. <Code>v1</Code> is the HMAC-SHA256 of{' '}
            <Code>t</Code>, a full stop and the raw body, keyed with the whole secret. Reject calls whose time
            is more than five minutes off. Respond with any 2xx within ten seconds; otherwise the gateway
            tries again, six times in half an hour.
          </Text>
          <CodeBlock title="JavaScript" code={CHECK} />
        </Stack>
      </Panel>
    </Stack>
  )
}

interface WebhookFormProps {
  readonly account: string
  readonly webhook: Webhook | null
  readonly onSecret: (secret: string | null) => void
}

function WebhookForm({ account, webhook, onSecret }: WebhookFormProps) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [enabled, setEnabled] = useState(webhook?.enabled ?? true)
  const calls = webhookCalls(account)
  const refreshes = [[account, 'webhook']]
  const save = useAction(calls.save, {
    done: 'The webhook is saved.',
    refreshes,
    onDone: ({ secret }) => onSecret(secret ?? null),
  })
  const isChanged = url.trim() !== (webhook?.url ?? '') || enabled !== (webhook?.enabled ?? true)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.run({ url: url.trim(), enabled })
      }}
    >
      <Stack>
        <TextInput
          label="Address"
          placeholder="https://hooks.example.com/alerts"
          type="url"
          description="A public http or https address."
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <Switch
          label="Send alerts"
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
        {webhook !== null && (
          <Text size="sm" c="dimmed">
            Created <TimeStamp at={webhook.created_at} as="relative" />. Its secret cannot be shown again. To
            get a new one, delete the webhook and set it up again.
          </Text>
        )}
        <ErrorNotice error={save.error} />
        <Group>
          <Button type="submit" loading={save.isRunning} disabled={url.trim() === '' || !isChanged}>
            {webhook === null ? 'Set up' : 'Save'}
          </Button>
          {webhook !== null && (
            <ConfirmAction
              title="Delete the webhook?"
              confirmLabel="Delete"
              onConfirm={calls.remove}
              onDone={() => onSecret(null)}
              done="The webhook is deleted."
              refreshes={refreshes}
              trigger={{ children: 'Delete' }}
            >
              Alerts are no longer sent to {webhook.url}, and its secret is deleted. They still appear in the
              console.
            </ConfirmAction>
          )}
        </Group>
      </Stack>
    </form>
  )
}

interface TestPanelProps {
  readonly account: string
  readonly isEnabled: boolean
}

function TestPanel({ account, isEnabled }: TestPanelProps) {
  const [result, setResult] = useState<WebhookTest | null>(null)
  const test = useAction(webhookCalls(account).test, {
    onDone: setResult,
    refreshes: [[account, 'alerts']],
  })
  return (
    <Panel
      title="Test the webhook"
      description="Sends a signed test event to your address and waits for the response."
      actions={
        <Button
          variant="default"
          leftSection={<IconSend size={16} aria-hidden />}
          loading={test.isRunning}
          disabled={!isEnabled}
          onClick={() => {
            setResult(null)
            test.run(undefined)
          }}
        >
          Send a test event
        </Button>
      }
    >
      <div aria-live="polite">
        <ErrorNotice error={test.error} />
        {!isEnabled && (
          <Text size="sm" c="dimmed">
            Turn on alerts and save first.
          </Text>
        )}
        {isEnabled && result === null && test.error === null && (
          <Text size="sm" c="dimmed">
            {test.isRunning ? 'Waiting for your server, up to ten seconds.' : 'Not tested yet.'}
          </Text>
        )}
        {result !== null && <TestResult result={result} />}
      </div>
    </Panel>
  )
}

function TestResult({ result }: { readonly result: WebhookTest }) {
  return result.delivered ? (
    <Alert color="teal" icon={<IconCheck size={18} aria-hidden />} title="Delivered">
      Your server accepted the event.
    </Alert>
  ) : (
    <Alert color="red" icon={<IconX size={18} aria-hidden />} title="Not delivered">
      {result.failure} Check the address, and that your server responds with 2xx within ten seconds.
    </Alert>
  )
}
