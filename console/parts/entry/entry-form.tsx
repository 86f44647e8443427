import {
  Button,
  PasswordInput,
  type PasswordInputProps,
  Stack,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import { type FormValidateInput, useForm } from '@mantine/form'
import type { FormEvent, ReactNode } from 'react'
import { useState } from 'react'
import { placeError } from '../forms/field-errors.ts'
import { checkEmail, checkPassword, PASSWORD_ADVICE } from '../forms/person-rules.ts'
import { ErrorNotice } from '../layout/error-notice.tsx'

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

interface EntryOptions<Values> {
  readonly initialValues: Values
  readonly validate: FormValidateInput<Values>
  /** Rejects when the gateway refuses. An error that names a field is shown there. */
  readonly send: (values: Values) => Promise<unknown>
}

/** The fields of an `EntryForm`, and its state to pass on. */
export function useEntryForm<Values extends Record<string, string>>(options: EntryOptions<Values>) {
  const { initialValues, validate, send } = options
  const [error, setError] = useState<unknown>(null)
  const form = useForm<Values>({ mode: 'uncontrolled', initialValues, validate })
  const submit = async (values: Values) => {
    setError(null)
    try {
      await send(values)
    } catch (thrown) {
      setError(placeError(thrown, Object.keys(initialValues), form.setFieldError))
    }
  }
  return { form, state: { onSubmit: form.onSubmit(submit), isSubmitting: form.submitting, error } }
}

export function EmailField(props: TextInputProps) {
  return <TextInput label="E-mail" type="email" size="md" autoComplete="username" {...props} />
}

export function PasswordField(props: PasswordInputProps) {
  return <PasswordInput label="Password" size="md" autoComplete="current-password" {...props} />
}

/** With the rule that it must meet. */
export function NewPasswordField(props: PasswordInputProps) {
  return <PasswordField description={PASSWORD_ADVICE} autoComplete="new-password" {...props} />
}

export type NewUser = Readonly<Record<'name' | 'email' | 'password', string>>

interface NewUserFormProps extends Pick<EntryFormProps, 'submitLabel' | 'ways'> {
  /** The address that the user must have; absent or null when any will do. */
  readonly email?: string | null
  /** Rejects when the gateway refuses the user. */
  readonly onSubmit: (user: NewUser) => Promise<unknown>
}

/** Asks a visitor for what a new user needs. */
export function NewUserForm({ email: fixedEmail = null, onSubmit, ...rest }: NewUserFormProps) {
  const { form, state } = useEntryForm({
    initialValues: { name: '', email: fixedEmail ?? '', password: '' },
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter your name' : null),
      email: checkEmail,
      password: checkPassword,
    },
    send: ({ name, email, password }) => onSubmit({ name: name.trim(), email: email.trim(), password }),
  })
  return (
    <EntryForm {...rest} {...state}>
      <TextInput label="Name" size="md" autoComplete="name" autoFocus {...form.getInputProps('name')} />
      <EmailField readOnly={fixedEmail !== null} {...form.getInputProps('email')} />
      <NewPasswordField {...form.getInputProps('password')} />
    </EntryForm>
  )
}
