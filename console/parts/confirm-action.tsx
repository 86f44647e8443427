import { Button, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { ErrorNotice } from './error-notice.tsx'

export interface ConfirmActionProps {
  /** A question: "Revoke this key?" */
  readonly title: string
  /** What will happen, and that it cannot be undone. */
  readonly children: ReactNode
  /** A verb: "Revoke". */
  readonly confirmLabel: string
  readonly onConfirm: () => Promise<unknown>
  /** Must be typed first, for what hurts most. */
  readonly typeToConfirm?: string
  /** For what does no harm. */
  readonly isHarmless?: boolean
  /** The button or menu item that opens it. */
  readonly trigger: (open: () => void) => ReactNode
}

type Dialog = Omit<ConfirmActionProps, 'trigger'>

/** Asks before doing what cannot be undone; stays open and says why when it fails. */
export function ConfirmAction({ trigger, ...dialog }: ConfirmActionProps) {
  const [isOpen, { open, close }] = useDisclosure(false)
  // The page may show what comes of it before it is done; the question stays the one that was answered.
  const [answered, setAnswered] = useState<Dialog | null>(null)
  const shown = answered ?? dialog
  const ask = () => {
    setAnswered(null)
    open()
  }
  return (
    <>
      {trigger(ask)}
      <Modal opened={isOpen} onClose={close} title={shown.title}>
        {isOpen && <Question {...shown} onAnswer={() => setAnswered(dialog)} onClose={close} />}
      </Modal>
    </>
  )
}

type QuestionProps = Dialog & { readonly onAnswer: () => void; readonly onClose: () => void }

function Question(props: QuestionProps) {
  const { children, confirmLabel, onConfirm, typeToConfirm, isHarmless, onAnswer, onClose } = props
  const [typed, setTyped] = useState('')
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const confirm = async () => {
    onAnswer()
    setRunning(true)
    setError(null)
    try {
      await onConfirm()
      onClose()
    } catch (thrown) {
      setError(thrown)
    } finally {
      setRunning(false)
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        // A form that this dialog was opened from must not take it for its own.
        event.stopPropagation()
        void confirm()
      }}
    >
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {typeToConfirm !== undefined && (
          <TextInput
            data-autofocus
            label={
              <>
                Type <Code>{typeToConfirm}</Code> to go on
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
        <ErrorNotice error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            {...(isHarmless ? {} : { color: 'red' })}
            loading={isRunning}
            disabled={typeToConfirm !== undefined && typed !== typeToConfirm}
          >
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
