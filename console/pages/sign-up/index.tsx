import { PasswordInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { signUp, useSession } from '../../api/session.ts'
import type { SignUp } from '../../api/wire.ts'
import { EntryForm } from '../../parts/forms/entry-form.tsx'
import { EntryFrame } from '../../parts/forms/entry-frame.tsx'
import { placeError } from '../../parts/forms/field-errors.ts'
import { checkPassword, PASSWORD_ADVICE } from '../../parts/forms/password-rule.ts'
import { TextLink } from '../../parts/text/links.tsx'

export function Page() {
  const session = useSession()
  if (session?.user) return <Navigate to="/overview" replace />
  return (
    <EntryFrame title="Create an account" description="One account, one key, every model.">
      {session?.sign_up === false ? (
        <Text size="sm">Sign-up is closed on this gateway. Ask its operator for an account.</Text>
      ) : (
        <SignUpForm />
      )}
      <Text size="sm" ta="center" c="dimmed" mt="md">
        Already have one?{' '}
        <TextLink size="sm" underline="always" to="/sign-in">
          Sign in
        </TextLink>
      </Text>
    </EntryFrame>
  )
}

const FIELDS = ['name', 'email', 'password'] as const

function SignUpForm() {
  const [error, setError] = useState<unknown>(null)
  const form = useForm<SignUp>({
    mode: 'uncontrolled',
    initialValues: { name: '', email: '', password: '' },
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter your name' : null),
      email: (email) => (/^\S+@\S+$/.test(email.trim()) ? null : 'Enter your e-mail address'),
      password: checkPassword,
    },
  })
  const submit = async ({ name, email, password }: SignUp) => {
    setError(null)
    try {
      await signUp({ name: name.trim(), email: email.trim(), password })
    } catch (thrown) {
      setError(placeError(thrown, FIELDS, form.setFieldError))
    }
  }
  return (
    <EntryForm
      onSubmit={form.onSubmit(submit)}
      submitLabel="Create account"
      isSubmitting={form.submitting}
      error={error}
    >
      <TextInput
        label="Name"
        size="md"
        autoComplete="name"
        autoFocus
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
      <TextInput
        label="E-mail"
        type="email"
        size="md"
        autoComplete="username"
        key={form.key('email')}
        {...form.getInputProps('email')}
      />
      <PasswordInput
        label="Password"
        description={PASSWORD_ADVICE}
        size="md"
        autoComplete="new-password"
        key={form.key('password')}
        {...form.getInputProps('password')}
      />
    </EntryForm>
  )
}
