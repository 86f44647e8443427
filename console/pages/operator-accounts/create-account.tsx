import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, OPERATOR } from '../../api/operator.ts'
import type { Account } from '../../api/wire.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { useFormAction } from '../../parts/use-form-action.ts'

export function CreateAccount({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { name: '', email: '' },
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter a name' : null),
      email: (email) =>
        email.trim() === '' || /^\S+@\S+$/.test(email.trim()) ? null : 'Enter an e-mail address',
    },
  })
  const create = useFormAction(
    form,
    ({ name, email }) =>
      api.post<Account>(`${OPERATOR}/accounts`, { name: name.trim(), email: email.trim() || null }),
    {
      done: ({ name }) => `${name} was created.`,
      refreshes: [ACCOUNTS_KEY],
      onDone: ({ id }) =>
        void navigate({ to: '/operator/accounts/$id', params: { id }, search: { do: undefined } }),
    },
  )
  return (
    <FormDrawer title="Create an account" onClose={onClose} submitLabel="Create account" {...create.drawer}>
      <TextInput
        label="Name"
        description="A company, a team or a person."
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label="E-mail"
        type="email"
        description="For your own records; nothing is sent there."
        {...form.getInputProps('email')}
      />
    </FormDrawer>
  )
}
