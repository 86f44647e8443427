import { Text } from '@mantine/core'
import { useState } from 'react'
import { renewPassword, useSession } from '../../api/session.ts'
import { useLinkToken } from '../../app/link-token.ts'
import { EntryForm, NewPasswordField, useEntryForm } from '../../parts/entry/entry-form.tsx'
import { EntryFrame, NoToken } from '../../parts/entry/entry-frame.tsx'
import { checkPassword } from '../../parts/forms/person-rules.ts'
import { ButtonLink, TextLink } from '../../parts/text/links.tsx'

export function Page() {
  const token = useLinkToken()
  const [isDone, setDone] = useState(false)
  const session = useSession()
  return (
    <EntryFrame
      title={token === '' ? 'This link is incomplete' : 'Choose a new password'}
      description={token === '' ? 'Nothing has changed so far.' : 'This signs you out everywhere.'}
    >
      {token === '' && <NoToken what="message" />}
      {isDone ? (
        <>
          <Text size="sm" mb="md" role="status">
            Your password is changed.
          </Text>
          <ButtonLink to="/sign-in" size="md" fullWidth>
            Sign in
          </ButtonLink>
        </>
      ) : (
        token !== '' && <RenewalForm token={token} onDone={() => setDone(true)} />
      )}
      {!isDone && session?.password_mail !== false && (
        <Text size="sm" ta="center" mt="md">
          <TextLink size="sm" underline="always" to="/forgotten-password">
            Ask for another link
          </TextLink>
        </Text>
      )}
    </EntryFrame>
  )
}

interface RenewalFormProps {
  readonly token: string
  readonly onDone: () => void
}

function RenewalForm({ token, onDone }: RenewalFormProps) {
  const { form, state } = useEntryForm({
    initialValues: { password: '' },
    validate: { password: checkPassword },
    send: ({ password }) => renewPassword({ token, password }).then(onDone),
  })
  return (
    <EntryForm {...state} submitLabel="Change password">
      <NewPasswordField label="New password" autoFocus {...form.getInputProps('password')} />
    </EntryForm>
  )
}
