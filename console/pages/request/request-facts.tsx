import { Code, Group } from '@mantine/core'
import { useKeyNames } from '../../api/use-list.ts'
import type { Settlement } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { StatCard } from '../../parts/charts/stat-card.tsx'
import { OutcomeBadge } from '../../parts/layout/outcome-badge.tsx'
import { Facts } from '../../parts/layout/panel.tsx'
import { describeFormat } from '../../parts/models/supply-words.ts'
import { listUsage } from '../../parts/prices/usage-words.ts'
import { formatCount, formatDuration } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { Money } from '../../parts/text/money.tsx'
import { sessionFacts } from './session-facts.tsx'

const PROVENANCE: Readonly<Record<Settlement['provenance'], string>> = {
  supplier: 'Reported by the supplier',
  counted: 'Counted by the gateway',
  estimated: 'Estimated by the gateway',
}

interface SettlementProps {
  readonly settlement: Settlement
}

/** The model and the outcome, once known. */
export function Heading({ settlement }: { readonly settlement: Settlement | undefined }) {
  return (
    <Group gap="sm">
      <span>{settlement?.model ?? 'Request'}</span>
      {settlement !== undefined && <OutcomeBadge outcome={settlement.outcome} />}
      {settlement !== undefined && settlement.error_code !== null && <Code>{settlement.error_code}</Code>}
    </Group>
  )
}

interface FiguresProps extends SettlementProps {
  readonly costLabel: string
  readonly counted: { readonly label: string; readonly value: string }
}

export function Figures({ settlement, costLabel, counted }: FiguresProps) {
  const { amount, attempts, first_byte_ms: firstByteMs, duration_ms: durationMs } = settlement
  return (
    <>
      <StatCard label={costLabel} value={<Money amount={amount} />} />
      <StatCard {...counted} />
      <StatCard label="First byte" value={firstByteMs === null ? '–' : formatDuration(firstByteMs)} />
      <StatCard
        label="Duration"
        value={formatDuration(durationMs)}
        hint={formatCount(attempts.length, 'attempt')}
      />
    </>
  )
}

export function UsageFacts({ settlement: { usage, provenance } }: SettlementProps) {
  const facts = [...listUsage(usage), { label: 'Source of these figures', value: PROVENANCE[provenance] }]
  return <Facts facts={facts} />
}

export function RequestFacts({ settlement }: SettlementProps) {
  const account = useAccount()
  const keyName = useKeyNames(account.id)
  const { key_id, model, supplier, client_format, supplier_format, stream } = settlement
  const how =
    supplier_format === null
      ? '–'
      : supplier_format === client_format
        ? `${describeFormat(supplier_format)}, passed through`
        : `${describeFormat(supplier_format)}, translated`
  return (
    <Facts
      facts={[
        {
          label: 'Key',
          value: (
            <TextLink inherit to="/keys/$id" params={{ id: key_id }}>
              {keyName(key_id)}
            </TextLink>
          ),
        },
        {
          label: 'Model',
          value: (
            <TextLink inherit to="/requests" search={{ model }}>
              {model}
            </TextLink>
          ),
        },
        { label: 'Supplier', value: supplier ?? 'None' },
        { label: 'Client format', value: describeFormat(client_format) },
        { label: 'Supplier format', value: how },
        ...sessionFacts(settlement, { to: '/requests', search: {} }),
        { label: 'Response', value: stream ? 'Streamed' : 'Not streamed' },
      ]}
    />
  )
}
