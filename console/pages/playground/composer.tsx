import { Button, Group, Text, Textarea } from '@mantine/core'
import { IconPlayerStop, IconSend2 } from '@tabler/icons-react'

export interface ComposerProps {
  readonly draft: string
  readonly onDraft: (draft: string) => void
  readonly onSend: () => void
  readonly onStop: () => void
  readonly isAsking: boolean
  /** Whether there is a model to ask. */
  readonly isReady: boolean
}

export function Composer({ draft, onDraft, onSend, onStop, isAsking, isReady }: ComposerProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      <Textarea
        aria-label="Message"
        placeholder="Ask something"
        autosize
        minRows={2}
        maxRows={10}
        value={draft}
        onChange={(event) => onDraft(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          onSend()
        }}
      />
      <Group justify="space-between" mt="xs">
        <Text size="xs" c="dimmed" visibleFrom="sm">
          Enter sends, Shift and Enter begins a new line
        </Text>
        {isAsking ? (
          <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button
            type="submit"
            leftSection={<IconSend2 size={16} aria-hidden />}
            disabled={!isReady || draft.trim() === ''}
          >
            Send
          </Button>
        )}
      </Group>
    </form>
  )
}
