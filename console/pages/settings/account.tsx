import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { accountPath, api, SESSION_KEY } from '../../api/client.ts'
import type { ChosenAccount } from '../../app/account.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { CopyButton } from '../../parts/text/copy-button.tsx'

/** The name of the account, which its owners change. */
export function AccountSettings({ account }: { readonly account: ChosenAccount }) {
  const form = useForm({
    initialValues: { name: account.name },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name' : null) },
  })
  const rename = useAction((name: string) => api.patch(accountPath(account.id, ''), { name }), {
    done: 'The account was renamed.',
    refreshes: [SESSION_KEY, [account.id, 'overview']],
    onDone: () => form.resetDirty(),
  })
  return (
    <Panel title="Account" description="How members, receipts and the operator of this gateway see it.">
      <form onSubmit={form.onSubmit(({ name }) => rename.run(name.trim()))} noValidate>
        <Stack maw={440}>
          <TextInput label="Account name" maxLength={200} {...form.getInputProps('name')} />
          <Group gap={6} wrap="nowrap">
            <Text size="sm" c="dimmed">
              Id
            </Text>
            <Code>{account.id}</Code>
            <CopyButton value={account.id} what="the id" />
          </Group>
          <ErrorNotice error={rename.error} />
          <Group>
            <Button type="submit" loading={rename.isRunning} disabled={!form.isDirty()}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
