import { Button, Group, Stack } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { Attachments } from './compose/attachments.tsx'
import { isReplyRunning, type Reply, type Round } from './conversation.ts'
import { ReplyView, type ReplyViewProps } from './reply-view.tsx'
import { TextEditor } from './text-editor.tsx'
import { useFocusBack } from './use-focus-back.ts'

type ForReply<T> = T extends (...args: infer Args) => infer Result
  ? (reply: Reply, ...args: Args) => Result
  : never

export interface RoundViewProps
  extends Pick<ReplyViewProps, 'account' | 'following' | 'isRaw' | 'onInspect'> {
  readonly round: Round
  /** Sends the message again, changed. */
  readonly onResend: (text: string) => void
  readonly onStop: ForReply<ReplyViewProps['onStop']>
  readonly onRegenerate: ForReply<ReplyViewProps['onRegenerate']>
  readonly onRewrite: ForReply<ReplyViewProps['onRewrite']>
  readonly onResults: ForReply<ReplyViewProps['onResults']>
}

const LABEL_LENGTH = 60

/** A message and the replies to it, side by side. */
export function RoundView(props: RoundViewProps) {
  const { round, onResend, onStop, onRegenerate, onRewrite, onResults, ...shared } = props
  const { said, replies } = round
  const label = said.text.slice(0, LABEL_LENGTH)
  const isBusy = replies.some(isReplyRunning)
  const failure = replies.flatMap(({ steps }) => steps.at(-1)?.answer.failure ?? [])[0]
  return (
    <Stack gap="sm" className="exchange" component="article" aria-label={`Question: ${label}`}>
      <Message round={round} following={shared.following} onResend={onResend} />
      <div className="replies" data-count={replies.length}>
        {replies.map((reply) => (
          <ReplyView
            key={reply.model}
            {...shared}
            reply={reply}
            isCompared={replies.length > 1}
            onStop={() => onStop(reply)}
            onRegenerate={() => onRegenerate(reply)}
            onRewrite={(text) => onRewrite(reply, text)}
            onResults={(results) => onResults(reply, results)}
          />
        ))}
      </div>
      <span className="sr-only" role="status">
        {isBusy ? '' : `${label}: ${failure ?? 'answered'}`}
      </span>
    </Stack>
  )
}

type MessageProps = Pick<RoundViewProps, 'round' | 'following' | 'onResend'>

function Message({ round: { said, replies }, following, onResend }: MessageProps) {
  const [isEdited, setIsEdited] = useState(false)
  const { box, back } = useFocusBack<HTMLDivElement>()
  const close = () => {
    setIsEdited(false)
    back()
  }
  if (isEdited) {
    return (
      <TextEditor
        label="Message to change"
        text={said.text}
        saveLabel="Send again"
        following={following}
        mayBeEmpty={said.files.length > 0}
        onSave={(text) => {
          close()
          onResend(text)
        }}
        onCancel={close}
      />
    )
  }
  return (
    <div className="message" ref={box} tabIndex={-1}>
      <div className="exchange-question">
        <Attachments files={said.files} />
        {said.text}
      </div>
      {!replies.some(isReplyRunning) && (
        <Group gap="xs" justify="flex-end">
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<IconPencil size={12} aria-hidden />}
            aria-label={`Edit the message: ${said.text.slice(0, LABEL_LENGTH)}`}
            onClick={() => setIsEdited(true)}
          >
            Edit
          </Button>
        </Group>
      )}
    </div>
  )
}
