import { ActionIcon, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconDots,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { keyCalls, useKeySwitch } from '../../api/keys.ts'
import type { ApiKey, IssuedKey } from '../../api/wire.ts'
import { ConfirmAction } from '../confirm-action.tsx'
import { useAction } from '../use-action.ts'
import { RotateKey } from './rotate-key.tsx'

export interface KeyActionsProps {
  readonly account: string
  readonly apiKey: ApiKey
  readonly onEdit: () => void
  readonly onIssued: (key: IssuedKey) => void
}

const ICON = { size: 16, stroke: 1.7, 'aria-hidden': true } as const

/** What can be done with a key. A revoked one is beyond everything. */
export function KeyActions(props: KeyActionsProps) {
  const { account, apiKey, onIssued } = props
  const [isRotating, rotating] = useDisclosure(false)
  const revoke = useAction(keyCalls(account).revoke, {
    done: ({ name }) => `${name} is revoked.`,
    refreshes: [[account, 'keys']],
  })
  if (apiKey.state === 'revoked') return null
  return (
    <>
      <ConfirmAction
        title={`Revoke ${apiKey.name}?`}
        confirmLabel="Revoke"
        typeToConfirm={apiKey.name}
        onConfirm={() => revoke.runAndWait(apiKey.id)}
        trigger={(openRevoke) => <KeyMenu {...props} onRotate={rotating.open} onRevoke={openRevoke} />}
      >
        Programs that use it are refused from now on. This cannot be undone: to stop it for a while, disable
        it instead. What it has spent stays in your records.
      </ConfirmAction>
      {isRotating && (
        <RotateKey account={account} apiKey={apiKey} onClose={rotating.close} onIssued={onIssued} />
      )}
    </>
  )
}

interface KeyMenuProps extends KeyActionsProps {
  readonly onRotate: () => void
  readonly onRevoke: () => void
}

function KeyMenu({ account, apiKey, onEdit, onRotate, onRevoke }: KeyMenuProps) {
  const change = useKeySwitch(account)
  const { name, state } = apiKey
  return (
    <Menu position="bottom-end" withinPortal shadow="md">
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${name}`} variant="subtle">
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil {...ICON} />} onClick={onEdit}>
          Edit
        </Menu.Item>
        <Menu.Item leftSection={<IconRefresh {...ICON} />} onClick={onRotate}>
          Rotate secret
        </Menu.Item>
        {state === 'active' && (
          <Menu.Item
            leftSection={<IconPlayerPause {...ICON} />}
            onClick={() => void change(apiKey, { state: 'disabled' })}
          >
            Disable
          </Menu.Item>
        )}
        {state === 'disabled' && (
          <Menu.Item
            leftSection={<IconPlayerPlay {...ICON} />}
            onClick={() => void change(apiKey, { state: 'active' })}
          >
            Enable
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<IconTrash {...ICON} />} c="var(--mantine-color-error)" onClick={onRevoke}>
          Revoke
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
