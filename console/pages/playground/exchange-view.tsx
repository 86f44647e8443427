import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconArrowsExchange } from '@tabler/icons-react'
import { useAwaitedSettlement } from '../../api/settlements.ts'
import type { Settlement } from '../../api/wire.ts'
import { describeUsage } from '../../parts/prices/usage-words.ts'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { formatDuration } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { Money } from '../../parts/text/money.tsx'
import type { Answer } from '../../parts/wire/ask.ts'
import type { Exchange } from './use-conversation.ts'

export interface ExchangeViewProps {
  readonly account: string
  readonly exchange: Exchange
  readonly onInspect: () => void
}

export function ExchangeView({ account, exchange, onInspect }: ExchangeViewProps) {
  const { answer, said, question } = exchange
  const isRunning = answer.phase === 'waiting' || answer.phase === 'answering'
  return (
    <Stack gap="sm" className="exchange" component="article" aria-label={`Question: ${said.slice(0, 60)}`}>
      <div className="exchange-question">{said}</div>
      <Text size="xs" fw={600} c="dimmed">
        {question.model}
      </Text>
      {answer.thought !== '' && (
        <details className="exchange-thought" open={answer.text === '' && isRunning}>
          <summary>Thinking</summary>
          <div className="exchange-text">{answer.thought}</div>
        </details>
      )}
      {answer.phase === 'waiting' && <Loader type="dots" size="sm" aria-label="Waiting for the response" />}
      {answer.text !== '' && (
        <div className="exchange-text" aria-live="off">
          {answer.text}
        </div>
      )}
      {answer.phase === 'stopped' && (
        <Text size="sm" c="dimmed">
          Stopped by you. Output generated until then is charged.
        </Text>
      )}
      {answer.failure !== null && <Failure answer={answer} />}
      {!isRunning && <AnswerFacts account={account} answer={answer} onInspect={onInspect} />}
      <span className="sr-only" role="status">
        {isRunning ? '' : `${said.slice(0, 60)}: ${answer.failure ?? 'answered'}`}
      </span>
    </Stack>
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

interface AnswerFactsProps {
  readonly account: string
  readonly answer: Answer
  readonly onInspect: () => void
}

const FAILED_FROM = 500

/** Duration and cost of the response. Tokens and cost come from the settlement. */
export function AnswerFacts({ account, answer, onInspect }: AnswerFactsProps) {
  const id = answer.headers['x-request-id'] ?? null
  const isRouted = answer.headers['x-gateway-route'] !== undefined
  // A request that failed at every supplier was still admitted, and its record says why.
  const isSettled = id !== null && (isRouted || (answer.status ?? 0) >= FAILED_FROM)
  const settlement = useAwaitedSettlement(account, isSettled ? id : null).data
  const dropped = answer.headers['x-gateway-dropped-params']
  return (
    <Group gap="xs" className="answer-facts">
      {settlement !== undefined && (
        <>
          <Fact label="Cost" value={<Money amount={settlement.amount} />} />
          <UsageFact usage={settlement.usage} />
        </>
      )}
      {answer.firstByteMs !== null && <Fact label="First byte" value={formatDuration(answer.firstByteMs)} />}
      {answer.durationMs !== null && <Fact label="Total" value={formatDuration(answer.durationMs)} />}
      {isRouted && <Fact label="Route" value={routeOf(answer)} />}
      {isSettled && settlement !== undefined && (
        <Fact
          label="Request"
          value={
            <TextLink inherit to="/requests/$id" params={{ id }}>
              {id}
            </TextLink>
          }
        />
      )}
      {dropped !== undefined && <Fact label="Not sent" value={decodeURIComponent(dropped)} />}
      <Group gap={6} wrap="nowrap">
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconArrowsExchange size={14} aria-hidden />}
          onClick={onInspect}
        >
          As sent
        </Button>
        {answer.text !== '' && <CopyButton value={answer.text} what="the response" />}
      </Group>
    </Group>
  )
}

function UsageFact({ usage }: Pick<Settlement, 'usage'>) {
  return <Fact {...describeUsage(usage)} />
}

function routeOf({ headers }: Answer): string {
  const attempts = headers['x-gateway-attempts'] ?? '1'
  return `${headers['x-gateway-route']}, ${attempts === '1' ? '1 attempt' : `${attempts} attempts`}`
}

export function Fact({ label, value }: { readonly label: string; readonly value: React.ReactNode }) {
  return (
    <span className="answer-fact">
      <span className="answer-fact-label">{label}</span> {value}
    </span>
  )
}
