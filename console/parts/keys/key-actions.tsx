import { Button, Group, Menu, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil, IconPlayerPause, IconPlayerPlay, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { keyCalls, useKeySwitch } from '../../api/keys.ts'
import type { ApiKey, IssuedKey } from '../../api/wire.ts'
import { useMay } from '../../app/account.ts'
import { ActionMenu } from '../forms/action-menu.tsx'
import { ConfirmAction } from '../forms/confirm-action.tsx'
import { useAction } from '../forms/use-action.ts'
import { ErrorNotice } from '../layout/error-notice.tsx'

interface KeyActionsProps {
  readonly account: string
  readonly apiKey: ApiKey
  readonly onEdit: () => void
  readonly onIssued: (key: IssuedKey) => void
}

const ICON = { size: 16, stroke: 1.7, 'aria-hidden': true } as const

/** The actions of a key. A revoked key has none, and neither has a user who may only look. */
export function KeyActions(props: KeyActionsProps) {
  const { account, apiKey, onIssued } = props
  const [isRotating, rotating] = useDisclosure(false)
  const mayManage = useMay('manage-keys')
  if (apiKey.state === 'revoked' || !mayManage) return null
  return (
    <>
      <ConfirmAction
        title={`Revoke ${apiKey.name}?`}
        confirmLabel="Revoke"
        typeToConfirm={apiKey.name}
        onConfirm={() => keyCalls(account).revoke(apiKey.id)}
        done={`${apiKey.name} is revoked.`}
        refreshes={[[account, 'keys']]}
        trigger={(openRevoke) => <KeyMenu {...props} onRotate={rotating.open} onRevoke={openRevoke} />}
      >
        Programs that use this key are refused immediately. This cannot be undone. To stop the key for a
        while, disable it instead. Its spending stays in your records.
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
    <ActionMenu name={name} shadow="md">
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
    </ActionMenu>
  )
}

interface RotateKeyProps {
  readonly account: string
  readonly apiKey: ApiKey
  readonly onClose: () => void
  readonly onIssued: (key: IssuedKey) => void
}

const HOUR = 3_600
const GRACES = [
  { value: '0', label: 'Stops working immediately' },
  { value: String(HOUR), label: 'Works for one more hour' },
  { value: String(24 * HOUR), label: 'Works for one more day' },
  { value: String(7 * 24 * HOUR), label: 'Works for one more week' },
  { value: String(30 * 24 * HOUR), label: 'Works for 30 more days' },
]

function RotateKey({ account, apiKey, onClose, onIssued }: RotateKeyProps) {
  const [grace, setGrace] = useState(String(24 * HOUR))
  const rotate = useAction((seconds: number) => keyCalls(account).rotate(apiKey.id, seconds), {
    refreshes: [[account, 'keys']],
    onDone: (key) => {
      onClose()
      onIssued(key)
    },
  })
  return (
    <Modal opened onClose={onClose} title={`Rotate ${apiKey.name}?`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          rotate.run(Number(grace))
        }}
      >
        <Stack>
          <Text size="sm">
            The key gets a new secret. Its name, limits and history stay the same. Choose how long the old
            secret keeps working, so that you can update your programs without an outage.
          </Text>
          <NativeSelect
            label="The old secret"
            data={GRACES}
            value={grace}
            onChange={(event) => setGrace(event.currentTarget.value)}
            data-autofocus
          />
          <ErrorNotice error={rotate.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={rotate.isRunning}>
              Rotate
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
