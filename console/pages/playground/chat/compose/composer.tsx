import { Alert, Button, FileButton, Group, Textarea } from '@mantine/core'
import { IconPaperclip, IconPlayerStop, IconSend2 } from '@tabler/icons-react'
import { type DragEvent, useRef, useState } from 'react'
import type { Model } from '../../../../api/wire.ts'
import { Payer } from '../../payer.tsx'
import type { Said } from '../conversation.ts'
import { Attachments } from './attachments.tsx'
import { ACCEPTED_FILES, describeUnseen, readFiles } from './read-files.ts'

export interface ComposerProps {
  /** The models that are asked. */
  readonly asked: readonly Pick<Model, 'id' | 'source' | 'vision'>[]
  readonly draft: Said
  readonly onDraft: (change: Partial<Said>) => void
  readonly onSend: () => void
  readonly onStop: () => void
  readonly isAsking: boolean
  /** Whether a model is available. */
  readonly isReady: boolean
}

/** Where the user writes. Files can be chosen, dropped and pasted. */
export function Composer(props: ComposerProps) {
  const { draft, onDraft, onSend, onStop, isAsking, isReady, asked } = props
  const { take, problems } = useTakenFiles(draft, onDraft)
  const drop = useDrop(take)
  const isEmpty = draft.text.trim() === '' && draft.files.length === 0
  const unseen = describeUnseen(draft.files, asked)
  return (
    <form
      className="composer"
      {...drop}
      onSubmit={(event) => {
        event.preventDefault()
        if (unseen === null) onSend()
      }}
    >
      <Attachments
        files={draft.files}
        onRemove={(removed) => onDraft({ files: draft.files.filter((file) => file !== removed) })}
      />
      {problems.length > 0 && (
        <Alert color="orange" role="alert" mb="xs" title="Some files cannot be sent">
          {problems.map((problem) => (
            <div key={problem}>{problem}</div>
          ))}
        </Alert>
      )}
      {unseen !== null && (
        <Alert color="orange" role="alert" mb="xs" title={unseen}>
          Remove the image, or choose a model that reads images.
        </Alert>
      )}
      <Textarea
        aria-label="Message"
        placeholder="Ask something. Enter sends, Shift+Enter starts a new line."
        autosize
        minRows={2}
        maxRows={10}
        value={draft.text}
        onChange={(event) => onDraft({ text: event.currentTarget.value })}
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return
          event.preventDefault()
          take([...event.clipboardData.files])
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          if (unseen === null) onSend()
        }}
      />
      <Group justify="space-between" mt="xs" gap="xs">
        <AttachButton onFiles={take} />
        <Group gap="sm" className="composer-send">
          <Payer asked={asked} />
          {isAsking ? (
            <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={onStop}>
              Stop
            </Button>
          ) : (
            <Button
              type="submit"
              leftSection={<IconSend2 size={16} aria-hidden />}
              disabled={!isReady || isEmpty || unseen !== null}
            >
              Send
            </Button>
          )}
        </Group>
      </Group>
    </form>
  )
}

function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  return (
    <FileButton multiple accept={ACCEPTED_FILES} onChange={onFiles}>
      {(props) => (
        <Button {...props} variant="default" leftSection={<IconPaperclip size={16} aria-hidden />}>
          Attach files
        </Button>
      )}
    </FileButton>
  )
}

/** Adds files to the draft. Reading takes a while, so the draft may have changed by then. */
function useTakenFiles(draft: Said, onDraft: ComposerProps['onDraft']) {
  const [problems, setProblems] = useState<readonly string[]>([])
  const latest = useRef(draft)
  latest.current = draft
  const take = (given: readonly File[]) => {
    void readFiles(given, draft.files).then((read) => {
      setProblems(read.problems)
      onDraft({ files: [...latest.current.files, ...read.files] })
    })
  }
  return { take, problems }
}

function useDrop(take: (files: readonly File[]) => void) {
  const [isOver, setIsOver] = useState(false)
  return {
    'data-over': isOver || undefined,
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      setIsOver(true)
    },
    onDragLeave: () => setIsOver(false),
    onDrop: (event: DragEvent) => {
      if (event.dataTransfer.files.length === 0) return
      event.preventDefault()
      setIsOver(false)
      take([...event.dataTransfer.files])
    },
  }
}
