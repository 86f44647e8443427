import { PasswordInput, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { renewPassword } from '../../api/session.ts'
import { useLinkToken } from '../../app/link-token.ts'
import { EntryForm } from '../../parts/forms/entry-form.tsx'
import { EntryFrame } from '../../parts/forms/entry-frame.tsx'
import { placeError } from '../../parts/forms/field-errors.ts'
import { checkPassword, PASSWORD_ADVICE } from '../../parts/forms/password-rule.ts'
import { ButtonLink, TextLink } from '../../parts/text/links.tsx'

export function Page() {
  const token = useLinkToken()
  const [isDone, setDone] = useState(false)
  return (
    <EntryFrame title="Choose a new password" description="Every open session of yours ends.">
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
        <RenewalForm token={token} onDone={() => setDone(true)} />
      )}
      {!isDone && (
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
  const [error, setError] = useState<unknown>(null)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '' },
    validate: { password: checkPassword },
  })
  const submit = async ({ password }: { readonly password: string }) => {
    setError(null)
    try {
      await renewPassword({ token, password })
      onDone()
    } catch (thrown) {
      setError(placeError(thrown, ['password'], form.setFieldError))
    }
  }
  return (
    <EntryForm
      onSubmit={form.onSubmit(submit)}
      submitLabel="Change password"
      isSubmitting={form.submitting}
      error={error}
    >
      <PasswordInput
        label="New password"
        description={PASSWORD_ADVICE}
        size="md"
        autoComplete="new-password"
        autoFocus
        key={form.key('password')}
        {...form.getInputProps('password')}
      />
    </EntryForm>
  )
}
