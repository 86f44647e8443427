import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { FormEvent, ReactNode } from 'react'
import { useState } from 'react'
import { ErrorNotice } from '../layout/error-notice.tsx'
import { placeError } from './field-errors.ts'
import { checkPassword, PASSWORD_ADVICE } from './password-rule.ts'

export interface EntryFormProps {
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void
  readonly submitLabel: string
  readonly isSubmitting: boolean
  /** Submits nothing. */
  readonly isEmpty?: boolean
  readonly error: unknown
  /** The fields. */
  readonly children: ReactNode
  /** Below the button. */
  readonly ways?: ReactNode
}

/** A form for users who are not signed in. */
export function EntryForm(props: EntryFormProps) {
  const { onSubmit, submitLabel, isSubmitting, isEmpty = false, error, children, ways } = props
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        {children}
        <ErrorNotice error={error} />
        <Button type="submit" size="md" fullWidth loading={isSubmitting} disabled={isEmpty}>
          {submitLabel}
        </Button>
        {ways}
      </Stack>
    </form>
  )
}

export interface NewUser {
  readonly name: string
  readonly email: string
  readonly password: string
}

interface NewUserFormProps extends Pick<EntryFormProps, 'submitLabel' | 'ways'> {
  /** The address that the user must have; absent or null when any will do. */
  readonly email?: string | null
  /** Rejects when the gateway refuses the user. */
  readonly onSubmit: (user: NewUser) => Promise<unknown>
}

const USER_FIELDS = ['name', 'email', 'password'] as const

/** Asks a visitor for what a new user needs. */
export function NewUserForm({ email: fixedEmail = null, onSubmit, ...rest }: NewUserFormProps) {
  const [error, setError] = useState<unknown>(null)
  const form = useForm<NewUser>({
    mode: 'uncontrolled',
    initialValues: { name: '', email: fixedEmail ?? '', password: '' },
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter your name' : null),
      email: (email) => (/^\S+@\S+$/.test(email.trim()) ? null : 'Enter your e-mail address'),
      password: checkPassword,
    },
  })
  const submit = async ({ name, email, password }: NewUser) => {
    setError(null)
    try {
      await onSubmit({ name: name.trim(), email: email.trim(), password })
    } catch (thrown) {
      setError(placeError(thrown, USER_FIELDS, form.setFieldError))
    }
  }
  return (
    <EntryForm {...rest} onSubmit={form.onSubmit(submit)} isSubmitting={form.submitting} error={error}>
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
        readOnly={fixedEmail !== null}
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
