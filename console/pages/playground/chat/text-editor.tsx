import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { DropAction } from './drop-action.tsx'

export interface TextEditorProps {
  readonly label: string
  readonly text: string
  readonly saveLabel: string
  /** How many rounds follow, which saving drops. */
  readonly following: number
  /** A message with files needs no text. */
  readonly mayBeEmpty?: boolean
  readonly onSave: (text: string) => void
  readonly onCancel: () => void
}

/** Changes a text in place. Escape cancels. */
export function TextEditor(props: TextEditorProps) {
  const { label, saveLabel, following, mayBeEmpty = false, onSave, onCancel } = props
  const [text, setText] = useState(props.text)
  return (
    <Stack gap="xs" className="text-editor">
      <Textarea
        aria-label={label}
        autosize
        autoFocus
        minRows={2}
        maxRows={16}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel()
        }}
      />
      <Group gap="xs" justify="flex-end">
        <Button size="compact-sm" variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <DropAction following={following} verb={saveLabel} onConfirm={() => onSave(text)}>
          {(act) => (
            <Button size="compact-sm" disabled={!mayBeEmpty && text.trim() === ''} onClick={act}>
              {saveLabel}
            </Button>
          )}
        </DropAction>
      </Group>
    </Stack>
  )
}
