import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { keyCalls } from '../../api/keys.ts'
import type { ApiKey, IssuedKey } from '../../api/wire.ts'
import { ErrorNotice } from '../error-notice.tsx'
import { useAction } from '../use-action.ts'

export interface RotateKeyProps {
  readonly account: string
  readonly apiKey: ApiKey
  readonly onClose: () => void
  readonly onIssued: (key: IssuedKey) => void
}

const HOUR = 3_600
const GRACES = [
  { value: '0', label: 'It ends at once' },
  { value: String(HOUR), label: 'It works for one more hour' },
  { value: String(24 * HOUR), label: 'It works for one more day' },
  { value: String(7 * 24 * HOUR), label: 'It works for one more week' },
  { value: String(30 * 24 * HOUR), label: 'It works for 30 more days' },
]

export function RotateKey({ account, apiKey, onClose, onIssued }: RotateKeyProps) {
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
            The key gets a new secret; its name, limits and history stay. Choose how long the old secret goes
            on working, so that you can change your programs without an outage.
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
