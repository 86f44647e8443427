import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { SESSION_KEY } from '../../api/client.ts'
import { identity, useUser } from '../../api/session.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useAction } from '../../parts/use-action.ts'

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
    <Panel title="Profile" description="How others see you, in lists of members and in the audit log.">
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
