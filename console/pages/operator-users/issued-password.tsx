import { Alert, Modal, Stack, Text } from '@mantine/core'
import type { IssuedUser } from '../../api/wire.ts'
import { CodeBlock } from '../../parts/code-block.tsx'

interface IssuedPasswordProps {
  readonly user: IssuedUser | null
  readonly onClose: () => void
}

/** A new password at the only moment it can be seen. */
export function IssuedPassword({ user, onClose }: IssuedPasswordProps) {
  return (
    <Modal opened={user !== null} onClose={onClose} title="The new password">
      {user !== null && (
        <Stack gap="sm">
          <Alert color="yellow" title="Copy it now">
            It is shown this one time. Hand it over safely, and ask {user.name} to change it under Settings.
          </Alert>
          <Text size="sm">{user.email}</Text>
          <CodeBlock code={user.password ?? ''} title="Password" isWrapped />
        </Stack>
      )}
    </Modal>
  )
}
