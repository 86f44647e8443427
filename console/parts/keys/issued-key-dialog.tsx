import { Button, Group, Modal, Stack, Title } from '@mantine/core'
import { useModels } from '../../api/models.ts'
import type { IssuedKey } from '../../api/wire.ts'
import { pickModel } from '../text/pick-model.ts'
import { SecretOnce } from '../text/secret-once.tsx'
import { SnippetTabs } from '../text/snippet-tabs.tsx'

export interface IssuedKeyDialogProps {
  readonly account: string
  readonly issued: IssuedKey
  readonly onClose: () => void
}

/** Shows a secret once, with ready-to-paste settings. */
export function IssuedKeyDialog({ account, issued, onClose }: IssuedKeyDialogProps) {
  const models = useModels(account)
  const example = pickModel(models.data?.data ?? [], issued.model_allowlist)
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={`The secret of ${issued.name}`}
      // A stray click or key must not close it: the secret cannot be shown again.
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <SecretOnce what="API key" secret={issued.secret} />
        <Title order={3} size="h5">
          Ready to paste
        </Title>
        <SnippetTabs secret={issued.secret} {...example} />
        <Group justify="flex-end">
          <Button onClick={onClose}>I saved it</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
