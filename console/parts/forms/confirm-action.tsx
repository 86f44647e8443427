import { Button, type ButtonProps, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { ErrorNotice } from '../layout/error-notice.tsx'
import { type ActionOptions, useAction } from './use-action.ts'

export interface ConfirmActionProps<Result = unknown>
  extends Pick<ActionOptions<Result>, 'done' | 'refreshes' | 'onDone'> {
  /** A question: "Revoke this key?" */
  readonly title: string
  /** Says what happens, and whether it can be undone. */
  readonly children: ReactNode
  /** A verb: "Revoke". */
  readonly confirmLabel: string
  readonly onConfirm: () => Promise<Result>
  /** The user must type this first, for dangerous actions. */
  readonly typeToConfirm?: string
  /** For harmless actions. */
  readonly isHarmless?: boolean
  /** Opens the dialog: usually a button. */
  readonly trigger: ButtonTrigger | ((open: () => void) => ReactNode)
}

type ButtonTrigger = ButtonProps & { readonly 'aria-label'?: string }
export type Dialog<Result = unknown> = Omit<ConfirmActionProps<Result>, 'trigger'>

/** Asks for confirmation. Stays open and shows the error if the action fails. */
export function ConfirmAction<Result>({ trigger, ...dialog }: ConfirmActionProps<Result>) {
  const [isOpen, { open, close }] = useDisclosure(false)
  // The page may already show the new state while the action runs. Keep the text of the open dialog.
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
        // Keeps the event from the form that opened this dialog.
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
                Type <Code>{typeToConfirm}</Code> to confirm
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
