import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { forgetPassword } from '../../api/session.ts'
import { EntryForm } from '../../parts/forms/entry-form.tsx'
import { EntryFrame } from '../../parts/forms/entry-frame.tsx'
import { TextLink } from '../../parts/text/links.tsx'

export function Page() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  return (
    <EntryFrame title="Forgot your password?" description="We send you a link to choose a new one.">
      {sentTo === null ? (
        <AddressForm onSent={setSentTo} />
      ) : (
        <Text size="sm" role="status">
          If {sentTo} belongs to a user with a password, a link is on its way. It works once, for 30 minutes.
        </Text>
      )}
      <Text size="sm" ta="center" mt="md">
        <TextLink size="sm" underline="always" to="/sign-in">
          Back to sign-in
        </TextLink>
      </Text>
    </EntryFrame>
  )
}

function AddressForm({ onSent }: { readonly onSent: (email: string) => void }) {
  const [error, setError] = useState<unknown>(null)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '' },
    validate: { email: (email) => (/^\S+@\S+$/.test(email.trim()) ? null : 'Enter your e-mail address') },
  })
  const submit = async ({ email }: { readonly email: string }) => {
    setError(null)
    try {
      await forgetPassword(email.trim())
      onSent(email.trim())
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <EntryForm
      onSubmit={form.onSubmit(submit)}
      submitLabel="Send the link"
      isSubmitting={form.submitting}
      error={error}
    >
      <TextInput
        label="E-mail"
        type="email"
        size="md"
        autoComplete="username"
        autoFocus
        key={form.key('email')}
        {...form.getInputProps('email')}
      />
    </EntryForm>
  )
}
