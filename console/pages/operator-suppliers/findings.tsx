import { Text } from '@mantine/core'
import { IconStethoscope } from '@tabler/icons-react'
import type { Finding } from '../../api/wire.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { formatDuration } from '../../parts/format.ts'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { wholeList } from '../../parts/whole-list.ts'

const COLUMNS: readonly Column<Finding>[] = [
  { head: 'Supplier', cell: (finding) => <Who finding={finding} /> },
  { head: 'Result', cell: ({ result }) => <StatusBadge state={result} tone={toneOf(result)} /> },
  { head: 'What to do', cell: ({ hint }) => hint || 'Nothing' },
  { head: 'Asked', from: 'md', cell: ({ model, format }) => (model === null ? '–' : `${model}, ${format}`) },
  {
    head: 'Took',
    isNumeric: true,
    from: 'sm',
    cell: ({ latency_ms }) => (latency_ms === null ? '–' : formatDuration(latency_ms)),
  },
]

interface FindingsProps {
  readonly findings: readonly Finding[] | undefined
  readonly isAsking: boolean
}

/** What the suppliers answered when they were asked. */
export function Findings({ findings, isAsking }: FindingsProps) {
  return (
    <DataTable
      label="Results of the test"
      list={wholeList(isAsking ? undefined : (findings ?? []))}
      columns={COLUMNS}
      rowKey={({ supplier, credential_id }) => `${supplier} ${credential_id}`}
      empty={
        <EmptyState icon={IconStethoscope} title="Nothing could be asked">
          Add a credential and a route with a price first.
        </EmptyState>
      }
    />
  )
}

function toneOf(result: string): Tone {
  if (result === 'works') return 'good'
  return result === 'skipped' || result === 'not_configured' ? 'neutral' : 'bad'
}

function Who({ finding: { supplier, label, last_four } }: { readonly finding: Finding }) {
  return (
    <span className="two-lines">
      {supplier}
      <Text span size="xs" c="dimmed" fw={400}>
        {label ?? 'no label'}
        {last_four !== null && ` …${last_four}`}
      </Text>
    </span>
  )
}
