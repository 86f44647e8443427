import { ActionIcon, Alert, Button, Group, Loader, Stack, Text, Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconPencil, IconPlayerStop, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { Markdown } from '../../../parts/markdown/markdown.tsx'
import type { Answer } from '../../../parts/wire/ask.ts'
import type { ToolResult } from '../../../parts/wire/question.ts'
import { AnswerFacts } from '../answer-facts.tsx'
import { isReplyRunning, isRunning, openCalls, type Reply, type Step, textOf } from './conversation.ts'
import { DropAction } from './drop-action.tsx'
import { StructuredOutput } from './schemas/structured-output.tsx'
import { TextEditor } from './text-editor.tsx'
import { CallsMade, CallsWaiting } from './tool-calls.tsx'
import { useFocusBack } from './use-focus-back.ts'

export interface ReplyViewProps {
  readonly account: string
  readonly reply: Reply
  /** How many rounds follow, which changes drop. */
  readonly following: number
  /** Shows Markdown as it is. */
  readonly isRaw: boolean
  /** Whether it has its own button to stop. */
  readonly isCompared: boolean
  readonly onInspect: (step: Step) => void
  readonly onStop: () => void
  readonly onRegenerate: () => void
  readonly onRewrite: (text: string) => void
  readonly onResults: (results: readonly ToolResult[]) => void
}

/** What a model answers to one message. */
export function ReplyView(props: ReplyViewProps) {
  const { reply, isCompared, onStop, onResults } = props
  const [isEdited, setIsEdited] = useState(false)
  const waiting = openCalls(reply)
  const { box, back } = useFocusBack<HTMLDivElement>()
  const close = () => {
    setIsEdited(false)
    back()
  }
  return (
    <Stack
      gap="sm"
      className="reply"
      role="group"
      aria-label={`Reply of ${reply.model}`}
      ref={box}
      tabIndex={-1}
    >
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" fw={600} c="dimmed" className="reply-model">
          {reply.model}
        </Text>
        {isCompared && isReplyRunning(reply) && (
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconPlayerStop size={12} aria-hidden />}
            aria-label={`Stop ${reply.model}`}
            onClick={onStop}
          >
            Stop
          </Button>
        )}
      </Group>
      {isEdited ? (
        <TextEditor
          label="Response"
          text={textOf(reply)}
          saveLabel="Save"
          following={props.following}
          onSave={(text) => {
            close()
            props.onRewrite(text)
          }}
          onCancel={close}
        />
      ) : (
        reply.steps.map((step, index) => (
          <StepView
            // biome-ignore lint/suspicious/noArrayIndexKey: Steps are only ever added at the end.
            key={index}
            {...props}
            step={step}
            next={reply.steps[index + 1]}
            onEdit={() => setIsEdited(true)}
          />
        ))
      )}
      {waiting.length > 0 && !isEdited && (
        <CallsWaiting
          calls={waiting}
          onResults={(results) => {
            back()
            onResults(results)
          }}
        />
      )}
    </Stack>
  )
}

interface StepViewProps extends ReplyViewProps {
  readonly step: Step
  /** Absent for the last one, which has the buttons. */
  readonly next: Step | undefined
  readonly onEdit: () => void
}

function StepView(props: StepViewProps) {
  const { account, step, next, onInspect } = props
  const { answer } = step
  const isBusy = isRunning(answer)
  return (
    <>
      {answer.thought !== '' && (
        <details className="exchange-thought" open={answer.text === '' && isBusy}>
          <summary>Thinking</summary>
          <div className="plain-text">{answer.thought}</div>
        </details>
      )}
      {answer.phase === 'waiting' && <Loader type="dots" size="sm" aria-label="Waiting for the response" />}
      {answer.text !== '' && <AnswerText {...props} />}
      {answer.phase === 'stopped' && (
        <Text size="sm" c="dimmed">
          Stopped by you. Output generated until then is charged.
        </Text>
      )}
      {next !== undefined && <CallsMade results={next.results} />}
      {answer.failure !== null && <Failure answer={answer} />}
      {!isBusy && (
        <AnswerFacts account={account} answer={answer} onInspect={() => onInspect(step)}>
          {next === undefined && <Changes {...props} />}
        </AnswerFacts>
      )}
    </>
  )
}

function AnswerText({ step: { answer, question }, isRaw }: StepViewProps) {
  return (
    <div className="exchange-text" aria-live="off">
      {isRaw ? (
        <div className="plain-text">{answer.text}</div>
      ) : question.schema ? (
        <StructuredOutput text={answer.text} schema={question.schema} isComplete={answer.phase === 'done'} />
      ) : (
        <Markdown text={answer.text} />
      )}
    </div>
  )
}

/** Buttons that change the conversation from here on. */
function Changes({ reply, following, onRegenerate, onEdit }: StepViewProps) {
  return (
    <>
      <DropAction following={following} verb="Regenerate" onConfirm={onRegenerate}>
        {(act) => (
          <Tooltip label="Regenerate">
            <ActionIcon variant="default" aria-label={`Regenerate the reply of ${reply.model}`} onClick={act}>
              <IconRefresh size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
      </DropAction>
      {textOf(reply) !== '' && (
        <Tooltip label="Edit response">
          <ActionIcon variant="default" aria-label={`Edit the reply of ${reply.model}`} onClick={onEdit}>
            <IconPencil size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </>
  )
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'The playground key was not accepted. Try again to get a new one.',
  403: 'Add funds, or request fewer tokens.',
  404: 'Choose another model.',
  429: 'Wait a moment, then try again.',
  503: 'No supplier can serve it right now. Try another model, or try again later.',
}

function Failure({ answer }: { readonly answer: Answer }) {
  const advice = answer.status === null ? undefined : ADVICE[answer.status]
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title="Incomplete response"
      role="alert"
    >
      {answer.failure}
      {advice !== undefined && ` ${advice}`}
    </Alert>
  )
}
