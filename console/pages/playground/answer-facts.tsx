import { Button, Group } from '@mantine/core'
import { IconArrowsExchange } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useAwaitedSettlement } from '../../api/settlements.ts'
import type { Settlement } from '../../api/wire.ts'
import { describeUsage } from '../../parts/prices/usage-words.ts'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { formatDuration, formatNumber } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { Money } from '../../parts/text/money.tsx'
import type { Answer } from '../../parts/wire/ask.ts'
import { tokensPerSecond } from './speed.ts'

interface AnswerFactsProps {
  readonly account: string
  readonly answer: Answer
  readonly onInspect: () => void
  /** More buttons. */
  readonly children?: ReactNode
}

const FAILED_FROM = 500

/** Duration and cost of the response. Tokens and cost come from the settlement. */
export function AnswerFacts({ account, answer, onInspect, children }: AnswerFactsProps) {
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
          <SpeedFact usage={settlement.usage} answer={answer} />
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
        {children}
      </Group>
    </Group>
  )
}

function UsageFact({ usage }: Pick<Settlement, 'usage'>) {
  return <Fact {...describeUsage(usage)} />
}

/** Only for text, whose length is counted in tokens. */
function SpeedFact({ usage, answer }: Pick<Settlement, 'usage'> & { readonly answer: Answer }) {
  const speed = answer.text === '' ? null : tokensPerSecond(usage.output, answer)
  if (speed === null) return null
  return <Fact label="Speed" value={`${formatNumber(speed)} tokens/s`} />
}

function routeOf({ headers }: Answer): string {
  const attempts = headers['x-gateway-attempts'] ?? '1'
  return `${headers['x-gateway-route']}, ${attempts === '1' ? '1 attempt' : `${attempts} attempts`}`
}

export function Fact({ label, value }: { readonly label: string; readonly value: ReactNode }) {
  return (
    <span className="answer-fact">
      <span className="answer-fact-label">{label}</span> {value}
    </span>
  )
}
