import { Text } from '@mantine/core'
import { useState } from 'react'
import { forgetPassword, useSession } from '../../api/session.ts'
import { EmailField, EntryForm, useEntryForm } from '../../parts/entry/entry-form.tsx'
import { EntryFrame } from '../../parts/entry/entry-frame.tsx'
import { checkEmail } from '../../parts/forms/person-rules.ts'
import { TextLink } from '../../parts/text/links.tsx'

export function Page() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const isMailSent = useSession()?.password_mail !== false
  return (
    <EntryFrame
      title="Forgot your password?"
      description={
        isMailSent
          ? 'We send you a link to choose a new one.'
          : 'This gateway sends no mail. Ask its operator for a new password.'
      }
    >
      {isMailSent && sentTo === null && <AddressForm onSent={setSentTo} />}
      {sentTo !== null && (
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
  const { form, state } = useEntryForm({
    initialValues: { email: '' },
    validate: { email: checkEmail },
    send: ({ email }) => forgetPassword(email.trim()).then(() => onSent(email.trim())),
  })
  return (
    <EntryForm {...state} submitLabel="Send the link">
      <EmailField autoFocus {...form.getInputProps('email')} />
    </EntryForm>
  )
}
