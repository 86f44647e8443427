import { Button, type ButtonProps, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { ErrorNotice } from '../layout/error-notice.tsx'
import { type ActionOptions, useAction } from './use-action.ts'

export interface ConfirmActionProps<Result = unknown>
  extends Pick<ActionOptions<Result>, 'done' | 'refreshes' | 'onDone'> {
  /** A question: "Revoke this key?" */
  readonly title: string
  /** What will happen, and that it cannot be undone. */
  readonly children: ReactNode
  /** A verb: "Revoke". */
  readonly confirmLabel: string
  readonly onConfirm: () => Promise<Result>
  /** Must be typed first, for what hurts most. */
  readonly typeToConfirm?: string
  /** For what does no harm. */
  readonly isHarmless?: boolean
  /** What opens it: usually a button. */
  readonly trigger: ButtonTrigger | ((open: () => void) => ReactNode)
}

type ButtonTrigger = ButtonProps & { readonly 'aria-label'?: string }
export type Dialog<Result = unknown> = Omit<ConfirmActionProps<Result>, 'trigger'>

/** Asks before doing what cannot be undone; stays open and says why when it fails. */
export function ConfirmAction<Result>({ trigger, ...dialog }: ConfirmActionProps<Result>) {
  const [isOpen, { open, close }] = useDisclosure(false)
  // The page may show what comes of it before it is done; the question stays the one that was answered.
  const [answered, setAnswered] = useState<Dialog<Result> | null>(null)
  const shown = answered ?? dialog
  const ask = () => {
    setAnswered(null)
    open()
  }
  return (
    <>
      {typeof trigger === 'function' ? trigger(ask) : <Button variant="default" {...trigger} onClick={ask} />}
      <Modal opened={isOpen} onClose={close} title={shown.title}>
        {isOpen && <Question {...shown} onAnswer={() => setAnswered(dialog)} onClose={close} />}
      </Modal>
    </>
  )
}

type QuestionProps<Result> = Dialog<Result> & { readonly onAnswer: () => void; readonly onClose: () => void }

function Question<Result>(props: QuestionProps<Result>) {
  const { children, confirmLabel, onConfirm, typeToConfirm, isHarmless, onAnswer, onClose } = props
  const [typed, setTyped] = useState('')
  const action = useAction(onConfirm, {
    ...props,
    onDone: (result) => {
      props.onDone?.(result)
      onClose()
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        // A form that this dialog was opened from must not take it for its own.
        event.stopPropagation()
        onAnswer()
        action.run(undefined)
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
        <ErrorNotice error={action.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            {...(isHarmless ? {} : { color: 'red' })}
            loading={action.isRunning}
            disabled={typeToConfirm !== undefined && typed !== typeToConfirm}
          >
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
