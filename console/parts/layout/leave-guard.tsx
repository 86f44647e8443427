import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'

export interface LeaveGuard {
  /** Closes the form, after asking if something was entered. */
  close(): void
  /** Lets the form go without asking, as when it was saved. */
  release(): void
  /** Whether the question is open: Escape then answers it. */
  readonly isAsking: boolean
  /** The question. Rendered by the form. */
  readonly question: ReactNode
}

/** Asks before a changed form is closed, before another page is opened, and before the browser leaves. */
export function useLeaveGuard(isChanged: () => boolean, onClose: () => void): LeaveGuard {
  const isReleased = useRef(false)
  const [isClosing, setIsClosing] = useState(false)
  const holds = () => !isReleased.current && isChanged()
  const blocker = useBlocker({ shouldBlockFn: holds, enableBeforeUnload: holds, withResolver: true })
  const isBlocked = blocker.status === 'blocked'
  const stay = () => {
    setIsClosing(false)
    if (isBlocked) blocker.reset()
  }
  const discard = () => {
    isReleased.current = true
    setIsClosing(false)
    if (isBlocked) blocker.proceed()
    else onClose()
  }
  return {
    // Later, because the Escape that closes the form would close the question as well.
    close: () => (holds() ? void setTimeout(() => setIsClosing(true)) : onClose()),
    release: () => {
      isReleased.current = true
    },
    isAsking: isClosing || isBlocked,
    question: (
      <Modal opened={isClosing || isBlocked} onClose={stay} title="Discard your changes?">
        <Stack>
          <Text size="sm">What you entered is not saved yet.</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={stay} data-autofocus>
              Keep editing
            </Button>
            <Button color="red" onClick={discard}>
              Discard
            </Button>
          </Group>
        </Stack>
      </Modal>
    ),
  }
}
