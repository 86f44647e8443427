import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY } from '../../api/operator.ts'
import type { Account, IssuedWebhook, Webhook } from '../../api/wire.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { useFormAction } from '../../parts/use-form-action.ts'

interface WebhookFormProps {
  readonly path: string
  readonly account: Account
  readonly webhook: Webhook | null
  readonly onClose: () => void
  readonly onSecret: (secret: string) => void
}

export function WebhookForm({ path, account, webhook, onClose, onSecret }: WebhookFormProps) {
  const form = useForm({
    initialValues: { url: webhook?.url ?? 'https://' },
    validate: {
      url: (url) => (/^https?:\/\/[^/]+/.test(url) ? null : 'Enter an address that begins with https://'),
    },
  })
  const save = useFormAction(
    form,
    ({ url }: { url: string }) =>
      api.put<IssuedWebhook>(path, { url: url.trim(), enabled: webhook?.enabled ?? true }),
    {
      done: 'The webhook is in force.',
      refreshes: [[...ACCOUNTS_KEY, account.id, 'webhook']],
      onDone: ({ secret }) => {
        onClose()
        if (secret !== null) onSecret(secret)
      },
    },
  )
  return (
    <FormDrawer
      title={webhook === null ? 'Set a webhook' : 'Change the webhook'}
      onClose={onClose}
      submitLabel="Save"
      {...save.drawer}
    >
      <TextInput label="Address" type="url" required data-autofocus {...form.getInputProps('url')} />
    </FormDrawer>
  )
}
