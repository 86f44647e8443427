import { Code, Group, Stack, Text } from '@mantine/core'
import type { ApiKey, IssuedKey } from '../../api/wire.ts'
import { Hint } from '../../parts/hint.tsx'
import { KeyActions } from '../../parts/keys/key-actions.tsx'
import {
  describeAllowlist,
  describePeriod,
  describeRate,
  describeSecret,
} from '../../parts/keys/key-words.ts'
import { LimitBar } from '../../parts/limit-bar.tsx'
import { Money } from '../../parts/money.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import type { Column } from '../../parts/table-panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

export interface KeyColumnsOptions {
  readonly account: string
  readonly onEdit: (key: ApiKey) => void
  readonly onIssued: (key: IssuedKey) => void
}

export function keyColumns({ account, onEdit, onIssued }: KeyColumnsOptions): readonly Column<ApiKey>[] {
  return [
    { head: 'Name', cell: (key) => <KeyName apiKey={key} /> },
    { head: 'State', from: 'sm', cell: (key) => <KeyBadge apiKey={key} /> },
    { head: 'Usage limit', from: 'sm', cell: (key) => <UsageAgainstLimit apiKey={key} /> },
    { head: 'Budget', from: 'md', cell: (key) => <UsageAgainstBudget apiKey={key} /> },
    {
      head: 'Rate',
      from: 'lg',
      cell: (key) => <Quiet words={describeRate(key)} isUsual={key.rpm === null && key.tpm === null} />,
    },
    { head: 'Models', from: 'lg', cell: (key) => <Models apiKey={key} /> },
    {
      head: 'Actions',
      isHeadHidden: true,
      isNumeric: true,
      cell: (key) => (
        <KeyActions account={account} apiKey={key} onEdit={() => onEdit(key)} onIssued={onIssued} />
      ),
    },
  ]
}

interface CellProps {
  readonly apiKey: ApiKey
}

function KeyName({ apiKey }: CellProps) {
  return (
    <Stack gap={3} className="key-name">
      <span>{apiKey.name}</span>
      <Group gap={6}>
        <Code className="key-secret">{describeSecret(apiKey)}</Code>
        <span className="mantine-hidden-from-sm">
          <KeyBadge apiKey={apiKey} />
        </span>
      </Group>
      <div className="mantine-hidden-from-sm key-name-limit">
        <UsageAgainstLimit apiKey={apiKey} />
      </div>
    </Stack>
  )
}

function KeyBadge({ apiKey: { state, expires_at } }: CellProps) {
  return (
    <Stack gap={3} align="flex-start">
      <StatusBadge state={state} />
      {state === 'active' && expires_at !== null && (
        <Text size="xs" c="dimmed" span>
          ends <TimeStamp at={expires_at} as="relative" />
        </Text>
      )}
    </Stack>
  )
}

function UsageAgainstLimit({ apiKey: { name, usage, usage_limit: limit } }: CellProps) {
  if (limit === null) {
    return (
      <Text size="sm" c="dimmed" component="div">
        no limit; spent <Money amount={usage.spent} />
      </Text>
    )
  }
  return (
    <LimitBar
      label={`Usage limit of ${name}`}
      spent={usage.spent}
      limit={limit.amount}
      hint={
        <>
          {describePeriod(limit.period)}
          {usage.resets_at !== null && (
            <>
              {', anew '}
              <TimeStamp at={usage.resets_at} as="relative" />
            </>
          )}
        </>
      }
    />
  )
}

function UsageAgainstBudget({ apiKey: { name, usage, budget } }: CellProps) {
  if (budget === null) return <Quiet words="none" isUsual />
  return (
    <LimitBar
      label={`Budget of ${name}`}
      spent={usage.spent_this_month}
      limit={budget.amount}
      hint="this month, warns only"
      warnsFrom={Math.min(...budget.thresholds) / 100}
    />
  )
}

function Models({ apiKey }: CellProps) {
  const { model_allowlist: list } = apiKey
  if (list === null) return <Quiet words="all" isUsual />
  return <Hint label={list.join(', ')}>{describeAllowlist(apiKey)}</Hint>
}

function Quiet({ words, isUsual }: { readonly words: string; readonly isUsual: boolean }) {
  return (
    <Text size="sm" span {...(isUsual && { c: 'dimmed' })}>
      {words}
    </Text>
  )
}
