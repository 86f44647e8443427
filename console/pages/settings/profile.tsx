import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { SESSION_KEY } from '../../api/client.ts'
import { identity, sessionsQuery, useUser } from '../../api/session.ts'
import type { PasswordChange } from '../../api/wire.ts'
import { placeError } from '../../parts/forms/field-errors.ts'
import { checkPassword, PASSWORD_ADVICE } from '../../parts/forms/person-rules.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'

export function Profile() {
  const user = useUser()
  const form = useForm({
    initialValues: { name: user.name },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  const rename = useAction(identity.rename, {
    done: 'Your name was changed.',
    refreshes: [SESSION_KEY],
    onDone: () => form.resetDirty(),
  })
  return (
    <Panel title="Profile" description="How others see you in member lists and the audit log.">
      <form onSubmit={form.onSubmit(({ name }) => rename.run(name.trim()))} noValidate>
        <Stack maw={440}>
          <TextInput label="Name" autoComplete="name" {...form.getInputProps('name')} />
          <TextInput
            label="E-mail"
            value={user.email}
            readOnly
            description="You sign in with it. Only the operator of this gateway can change it."
            variant="filled"
          />
          <ErrorNotice error={rename.error} />
          <Group>
            <Button type="submit" loading={rename.isRunning} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}

const FIELDS = ['current', 'new'] as const

export function Password() {
  const { email, has_password: hasPassword } = useUser()
  if (!hasPassword) {
    return (
      <Panel title="Password">
        <Text size="sm">You sign in with an identity provider and have no password here.</Text>
      </Panel>
    )
  }
  return (
    <Panel title="Password" description="Changing it signs you out everywhere else.">
      <PasswordForm email={email} />
    </Panel>
  )
}

function PasswordForm({ email }: { readonly email: string }) {
  const [error, setError] = useState<unknown>(null)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { current: '', new: '' },
    validate: {
      current: (current) => (current === '' ? 'Enter your current password' : null),
      new: checkPassword,
    },
  })
  const change = useAction(identity.changePassword, {
    done: 'Your password was changed. All your other sessions have ended.',
    // The gateway gives the session a new token together with the new password.
    refreshes: [SESSION_KEY, sessionsQuery.queryKey],
    onDone: form.reset,
  })
  const submit = async (values: PasswordChange) => {
    setError(null)
    await change.runAndWait(values).catch((thrown: unknown) => {
      setError(placeError(thrown, FIELDS, form.setFieldError))
    })
  }
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack maw={440}>
        {/* Tells password managers which user's password changes. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          key={form.key('current')}
          {...form.getInputProps('current')}
        />
        <PasswordInput
          label="New password"
          description={PASSWORD_ADVICE}
          autoComplete="new-password"
          key={form.key('new')}
          {...form.getInputProps('new')}
        />
        <ErrorNotice error={error} />
        <Group>
          <Button type="submit" loading={change.isRunning}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
