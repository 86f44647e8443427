import { PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { ownSupplierCalls } from '../../api/own-suppliers.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { useFormAction } from '../../parts/use-form-action.ts'

export interface AddCredentialProps {
  readonly account: string
  readonly supplier: string
  readonly onClose: () => void
}

export function AddCredential({ account, supplier, onClose }: AddCredentialProps) {
  const form = useForm({
    initialValues: { secret: '', label: '' },
    validate: { secret: (secret) => (secret.trim() === '' ? 'Paste the key' : null) },
  })
  const action = useFormAction(
    form,
    ({ secret, label }: { secret: string; label: string }) =>
      ownSupplierCalls(account).addCredential(supplier, {
        secret: secret.trim(),
        ...(label.trim() !== '' && { label: label.trim() }),
      }),
    {
      done: 'The credential is in use from the next request on.',
      refreshes: [[account, 'own-suppliers']],
      onDone: onClose,
    },
  )
  return (
    <FormDrawer
      title={`Add a credential to ${supplier}`}
      onClose={onClose}
      submitLabel="Add"
      {...action.drawer}
    >
      <PasswordInput
        label="Secret"
        description="Stored encrypted and never shown again."
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('secret')}
      />
      <TextInput
        label="Label"
        description="To tell it from others, if you like."
        placeholder="main"
        {...form.getInputProps('label')}
      />
    </FormDrawer>
  )
}
