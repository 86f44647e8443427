import { IconStethoscope } from '@tabler/icons-react'
import type { Finding } from '../../api/wire.ts'
import { StatusBadge, type Tone } from '../../parts/layout/status-badge.tsx'
import { wholeList } from '../../parts/tables/lists.ts'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'
import { formatDuration } from '../../parts/text/format.ts'

const COLUMNS: readonly Column<Finding>[] = [
  {
    head: 'Supplier',
    cell: ({ supplier, label, last_four: ending }) => (
      <TwoLines below={`${label ?? 'no label'}${ending === null ? '' : ` …${ending}`}`}>{supplier}</TwoLines>
    ),
  },
  { head: 'Result', cell: ({ result }) => <StatusBadge state={result} tone={toneOf(result)} /> },
  { head: 'What to do', cell: ({ hint }) => hint || 'No action needed' },
  {
    head: 'Request',
    from: 'md',
    cell: ({ model, format }) => (model === null ? '–' : `${model}, ${format}`),
  },
  {
    head: 'Duration',
    isNumeric: true,
    from: 'sm',
    cell: ({ latency_ms }) => (latency_ms === null ? '–' : formatDuration(latency_ms)),
  },
]

interface FindingsProps {
  readonly description: string
  readonly findings: readonly Finding[] | undefined
  readonly isAsking: boolean
}

/** The test results. Renders nothing before a test. */
export function Findings({ description, findings, isAsking }: FindingsProps) {
  if (!isAsking && findings === undefined) return null
  return (
    <TablePanel
      title="Test"
      label="Results of the test"
      description={description}
      list={wholeList(isAsking ? undefined : findings)}
      columns={COLUMNS}
      rowKey={({ supplier, credential_id }) => `${supplier} ${credential_id}`}
      empty={{
        icon: IconStethoscope,
        title: 'Nothing to test',
        children: 'Add a credential and a route with a price first.',
      }}
    />
  )
}

function toneOf(result: string): Tone {
  if (result === 'works') return 'good'
  return result === 'skipped' || result === 'not_configured' ? 'neutral' : 'bad'
}
