import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconCode, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useModels } from '../../../api/models.ts'
import { useUrlState } from '../../../app/url-state.ts'
import { writeTaskCode } from '../../../parts/code/task-code.ts'
import { ModelField } from '../../../parts/forms/model-field.tsx'
import { EmptyState, type EmptyStateProps } from '../../../parts/layout/empty-state.tsx'
import { ErrorNotice } from '../../../parts/layout/error-notice.tsx'
import { Panel } from '../../../parts/layout/panel.tsx'
import { exampleCall, type TaskCall, type TaskKind, taskPath } from '../../../parts/wire/task-call.ts'
import { AnswerFacts } from '../answer-facts.tsx'
import { Payer } from '../payer.tsx'
import { SidePanel } from '../side-panel.tsx'
import type { Code } from '../write-code.ts'
import { CallDrawer, CodesDrawer } from './call-drawers.tsx'
import { type Call, type Called, useCall } from './use-call.ts'

export interface TaskProps {
  readonly account: string
  readonly kind: TaskKind
  /** The request without its model; null while something is missing. */
  readonly fields: Readonly<Record<string, unknown>> | null
  /** Null until it is chosen; undefined for a task without a file. */
  readonly file?: File | null
  readonly runLabel: string
  readonly empty: Pick<EmptyStateProps, 'icon' | 'title' | 'children'>
  /** What to send. */
  readonly inputs: ReactNode
  /** How to answer, beside the model. */
  readonly settings?: ReactNode
  /** Shows a complete response. */
  readonly children: (done: Done) => ReactNode
}

/** A complete response, with the request as it was sent. */
export interface Done {
  readonly body: string
  readonly content: Blob
  readonly fields: Readonly<Record<string, unknown>>
}

interface TaskRequest extends TaskCall {
  readonly file: File | null
}

function writeCall({ kind, fields, file }: TaskRequest): Call {
  const files = file === null ? [] : [{ field: 'file', name: file.name, content: file }]
  return { path: taskPath(kind), fields, files }
}

/** A tab of the playground that sends one request and shows its response. */
export function Task(props: TaskProps) {
  const { account, kind, fields, file, runLabel, inputs, settings } = props
  const models = useModels(account)
  const fitting = models.data?.data.filter(({ kinds }) => kinds.includes(kind)) ?? []
  const [{ model: asked }, setState] = useUrlState({ model: '' })
  const chosen =
    fitting.find(({ id }) => id === asked) ?? fitting.find(({ routeable }) => routeable) ?? fitting[0]
  const model = chosen?.id ?? ''
  const [isCodeShown, code] = useDisclosure(false)
  const caller = useCall(account, writeCall)
  const isReady = model !== '' && fields !== null && file !== null
  const run = () => {
    if (isReady) caller.run({ kind, fields: { model, ...fields }, file: file ?? null })
  }
  return (
    <div className="playground">
      <Panel>
        <Stack>
          <ErrorNotice error={models.error} onRetry={() => void models.refetch()} />
          {inputs}
          <Group gap="xs">
            <RunButton isRunning={caller.isRunning} isReady={isReady} onRun={run} onStop={caller.stop}>
              {runLabel}
            </RunButton>
            <Payer asked={chosen === undefined ? [] : [chosen]} />
          </Group>
          <Result {...props} called={caller.called} />
        </Stack>
      </Panel>
      <SidePanel>
        <ModelField models={fitting} model={model} onChange={(value) => setState({ model: value })} />
        {settings}
        <Button variant="default" leftSection={<IconCode size={16} aria-hidden />} onClick={code.open}>
          Copy as code
        </Button>
      </SidePanel>
      <CodesDrawer
        isOpen={isCodeShown}
        onClose={code.close}
        codes={codesOf(kind, { model, ...fields }, file)}
      />
    </div>
  )
}

/** The request as it stands, or an example while it is incomplete. */
function codesOf(kind: TaskKind, fields: TaskCall['fields'], file: File | null | undefined): Code[] {
  const example = exampleCall(kind, String(fields.model))
  const call = { kind, fields: { ...example.fields, ...fields }, file: file ?? example.file }
  const { curl, typescript, python } = writeTaskCode(call, { baseUrl: window.location.origin, secret: null })
  return [
    { id: 'curl', label: 'curl', code: curl },
    { id: 'typescript', label: 'TypeScript', code: typescript },
    { id: 'python', label: 'Python', code: python },
  ]
}

interface RunButtonProps {
  readonly isRunning: boolean
  readonly isReady: boolean
  readonly onRun: () => void
  readonly onStop: () => void
  readonly children: ReactNode
}

function RunButton({ isRunning, isReady, onRun, onStop, children }: RunButtonProps) {
  if (isRunning) {
    return (
      <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={onStop}>
        Stop
      </Button>
    )
  }
  return (
    <Button disabled={!isReady} leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={onRun}>
      {children}
    </Button>
  )
}

interface ResultProps extends TaskProps {
  readonly called: Called<TaskRequest> | null
}

function Result({ account, called, empty, runLabel, children }: ResultProps) {
  const [isInspected, inspect] = useDisclosure(false)
  if (called === null) return <EmptyState {...empty} />
  const { answer, call, content, question } = called
  const isRunning = answer.phase === 'waiting'
  return (
    <Stack aria-busy={isRunning} component="section" aria-label="Result">
      {isRunning && <Loader type="dots" size="sm" aria-label="Waiting for the response" />}
      {answer.phase === 'stopped' && (
        <Text size="sm" c="dimmed">
          Stopped by you. Work done until then may be charged.
        </Text>
      )}
      {answer.failure !== null && (
        <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} title="No result" role="alert">
          {answer.failure}
        </Alert>
      )}
      {answer.phase === 'done' &&
        content !== null &&
        children({ body: answer.body ?? '', content, fields: question.fields })}
      {!isRunning && <AnswerFacts account={account} answer={answer} onInspect={inspect.open} />}
      <span className="sr-only" role="status">
        {isRunning ? '' : `${runLabel}: ${answer.failure ?? 'answered'}`}
      </span>
      <CallDrawer call={call} answer={answer} isOpen={isInspected} onClose={inspect.close} />
    </Stack>
  )
}
