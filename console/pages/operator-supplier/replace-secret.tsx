import { PasswordInput, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { api } from '../../api/client.ts'
import { credentialCall, ROUTES_KEY, SUPPLIERS_KEY } from '../../api/operator.ts'
import type { Credential } from '../../api/wire.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { useFormAction } from '../../parts/use-form-action.ts'

interface ReplaceSecretProps {
  readonly credential: Credential
  readonly onClose: () => void
}

export function ReplaceSecret({ credential, onClose }: ReplaceSecretProps) {
  const form = useForm({
    initialValues: { secret: '' },
    validate: { secret: (secret) => (secret.trim() === '' ? 'Paste the new key' : null) },
  })
  const replace = useFormAction(
    form,
    ({ secret }: { secret: string }) => api.patch(credentialCall(credential.id), { secret: secret.trim() }),
    {
      done: 'The new secret is used from the next request on.',
      refreshes: [SUPPLIERS_KEY, ROUTES_KEY],
      onDone: onClose,
    },
  )
  return (
    <FormDrawer
      title={`Replace the secret of ${credential.label ?? credential.id}`}
      onClose={onClose}
      submitLabel="Replace"
      {...replace.drawer}
    >
      <Text size="sm" c="dimmed">
        The old secret is forgotten at once and cannot be brought back. Id, limits and weight stay.
      </Text>
      <PasswordInput
        label="New secret"
        description="Stored encrypted and never shown again."
        required
        data-autofocus
        autoComplete="off"
        {...form.getInputProps('secret')}
      />
    </FormDrawer>
  )
}
