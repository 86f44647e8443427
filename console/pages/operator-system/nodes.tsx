import { Group } from '@mantine/core'
import type { SystemStatus } from '../../api/wire.ts'
import { wholeList } from '../../parts/lists.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { type Column, TablePanel } from '../../parts/table-panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'
import { describeUptime } from './describe-uptime.ts'

// A node tells every two seconds that it lives.
const WORRYING_SILENCE_MS = 6_000

type SystemNode = SystemStatus['nodes'][number]

const COLUMNS: readonly Column<SystemNode>[] = [
  { head: 'Node', cell: (node) => <Name node={node} /> },
  { head: 'Last heard of', cell: (node) => <LastHeard node={node} /> },
  { head: 'Version', cell: ({ version }) => version, from: 'sm' },
  { head: 'Started', cell: ({ started_at }) => <TimeStamp at={started_at} as="relative" />, from: 'sm' },
  { head: 'Id', cell: ({ id }) => <span className="mono">{id}</span>, from: 'lg' },
]

/** All processes that serve this gateway, as far as the one that answers knows. */
export function Nodes({ nodes }: Pick<SystemStatus, 'nodes'>) {
  return (
    <TablePanel
      title="Nodes"
      description="The processes that serve this gateway. One that falls silent is struck off when its lease is over, and what it held is released."
      list={wholeList(nodes)}
      columns={COLUMNS}
      empty={null}
    />
  )
}

function Name({ node }: { readonly node: SystemNode }) {
  return (
    <Group gap="xs">
      <span className="mono">{node.name}</span>
      {node.is_this && <StatusBadge state="This one" tone="neutral" />}
    </Group>
  )
}

function LastHeard({ node }: { readonly node: SystemNode }) {
  if (node.is_this) return <StatusBadge state="Answers" tone="good" />
  const silentMs = Date.now() - Date.parse(node.last_heard_at)
  if (silentMs <= WORRYING_SILENCE_MS) return <StatusBadge state="Lives" tone="good" />
  return <StatusBadge state={`Silent for ${describeUptime(silentMs / 1_000)}`} tone="warning" />
}
