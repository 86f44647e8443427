import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ApiKey } from '../../api/wire.ts'
import { formatMoney } from '../../parts/format.ts'
import { describePeriod } from '../../parts/keys/key-words.ts'
import { LimitBar } from '../../parts/limit-bar.tsx'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

interface KeyMoneyProps {
  readonly apiKey: ApiKey
}

/** What the key has spent, against what it may and what it should. */
export function KeyMoney({ apiKey }: KeyMoneyProps) {
  return (
    <div className="key-bars">
      <Panel title="Usage limit" description="Requests are refused when it is spent.">
        <LimitState apiKey={apiKey} />
      </Panel>
      <Panel title="Budget" description="Warns and never stops anything.">
        <BudgetState apiKey={apiKey} />
      </Panel>
    </div>
  )
}

function LimitState({ apiKey: { name, usage, usage_limit: limit } }: KeyMoneyProps) {
  if (limit === null) {
    return (
      <Text size="sm" component="div">
        No limit. Spent <Money amount={usage.spent} /> in all.
      </Text>
    )
  }
  return (
    <LimitBar
      label={`Usage limit of ${name}`}
      spent={usage.spent}
      limit={limit.amount}
      hint={<LimitHint usage={usage} period={describePeriod(limit.period)} />}
    />
  )
}

function LimitHint({ usage, period }: Pick<ApiKey, 'usage'> & { readonly period: string }): ReactNode {
  const { remaining, held, resets_at: resetsAt } = usage
  return (
    <>
      USDT {period}
      {remaining !== null && ` · ${formatMoney(remaining)} left`}
      {Number(held) > 0 && `, of which requests under way hold ${formatMoney(held)}`}
      {resetsAt !== null && (
        <>
          {' · begins anew '}
          <TimeStamp at={resetsAt} as="relative" />
        </>
      )}
    </>
  )
}

function BudgetState({ apiKey: { name, usage, budget } }: KeyMoneyProps) {
  if (budget === null) {
    return (
      <Text size="sm" component="div">
        No budget. Spent <Money amount={usage.spent_this_month} /> this month.
      </Text>
    )
  }
  return (
    <LimitBar
      label={`Budget of ${name}`}
      spent={usage.spent_this_month}
      limit={budget.amount}
      warnsFrom={Math.min(...budget.thresholds) / 100}
      hint={`USDT this month · alerts at ${budget.thresholds.map((threshold) => `${threshold}%`).join(', ')}`}
    />
  )
}
