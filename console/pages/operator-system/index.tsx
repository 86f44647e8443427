import { Alert, Anchor, Group, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import { IconClock, IconDatabase, IconNotebook, IconPlugConnected } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { getQuery } from '../../api/client.ts'
import { OPERATOR } from '../../api/operator.ts'
import type { SystemStatus } from '../../api/wire.ts'
import { StatCard } from '../../parts/charts/stat-card.tsx'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Facts, Panel } from '../../parts/layout/panel.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { wholeList } from '../../parts/tables/lists.ts'
import { ScrollTable } from '../../parts/tables/scroll-table.tsx'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { CodeBlock } from '../../parts/text/code-block.tsx'
import { formatBytes, formatDuration, formatNumber } from '../../parts/text/format.ts'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'
import { describeSetting, variableOf } from './describe-setting.ts'
import { describeUptime } from './describe-uptime.ts'

const EVERY_MS = 5_000
const ENGINE_NAMES = { sqlite: 'SQLite', postgresql: 'PostgreSQL' } as const

export function Page() {
  const { data, error, refetch } = useQuery({
    ...getQuery<SystemStatus>(['operator', 'system'], `${OPERATOR}/system`),
    refetchInterval: (query) => (query.state.error === null ? EVERY_MS : false),
  })
  return (
    <>
      <PageHeader title="System" description="The status of this gateway, updated every five seconds." />
      <Stack gap="lg">
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        <Warnings system={data} />
        {(data !== undefined || error === null) && <Figures system={data} />}
        {data !== undefined && <Details system={data} />}
        <Metrics />
      </Stack>
    </>
  )
}

const WORRYING_LAG_MS = 10_000

/** The most serious problem, if any. */
function Warnings({ system }: { readonly system: SystemStatus | undefined }) {
  if (system === undefined) return null
  const { journal, database } = system
  if (journal.refusal !== null) {
    return (
      <Alert color="red" title="New requests are refused">
        The journal has reached its limit because too many records wait for the database. It holds{' '}
        {formatBytes(journal.bytes)} of {formatBytes(journal.max_bytes)}, and records can wait for up to{' '}
        {describeUptime(journal.max_age_seconds)}. No data is lost. Restore the database: this node resumes
        automatically once the records are written.
      </Alert>
    )
  }
  if (!database.reachable) {
    return (
      <Alert color="yellow" title="The database is not responding">
        Requests continue with the data this node has in memory, and their records wait in the journal. You
        cannot change anything until the database is back.
      </Alert>
    )
  }
  return <Lag journal={journal} />
}

/** Warns when settlements wait in the journal for too long. */
function Lag({ journal }: Pick<SystemStatus, 'journal'>) {
  const oldest = journal.oldest_at
  if (oldest === null || Date.now() - Date.parse(oldest) < WORRYING_LAG_MS) return null
  return (
    <Alert color="yellow" title="The database is behind">
      The oldest record waiting in the journal is from <TimeStamp at={oldest} />. No data is lost: the record
      is written as soon as the database accepts it. Check the database’s health and disk space.
    </Alert>
  )
}

function Figures({ system }: { readonly system: SystemStatus | undefined }) {
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <StatCard
        label="Active streams"
        value={system && formatNumber(system.streams)}
        icon={IconPlugConnected}
      />
      <StatCard
        label="Database latency"
        value={system && describePing(system.database.ping_ms)}
        hint={system && ENGINE_NAMES[system.database.engine]}
        icon={IconDatabase}
      />
      <StatCard
        label="Waiting in journal"
        value={system && formatNumber(system.journal.waiting)}
        hint={system && describeWaiting(system.journal)}
        icon={IconNotebook}
      />
      <StatCard
        label="Uptime"
        value={system && describeUptime(system.uptime_seconds)}
        hint={system && <TimeStamp at={system.started_at} />}
        icon={IconClock}
      />
    </SimpleGrid>
  )
}

function describeWaiting({ oldest_at, bytes, max_bytes }: SystemStatus['journal']): string {
  return oldest_at === null ? 'All records stored' : `${formatBytes(bytes)} of ${formatBytes(max_bytes)}`
}

function Details({ system }: { readonly system: SystemStatus }) {
  const { database, redis } = system
  return (
    <>
      <Panel
        title="This node"
        facts={[
          { label: 'Node', value: <span className="mono">{system.node}</span> },
          { label: 'Version', value: system.version },
          { label: 'Memory', value: formatBytes(system.memory_bytes) },
          { label: 'CPU time', value: describeUptime(system.cpu_seconds) },
          { label: 'Database', value: ENGINE_NAMES[database.engine] },
          {
            label: 'Database size',
            value: database.size_bytes === null ? 'Unknown' : formatBytes(database.size_bytes),
          },
          { label: 'Live views of the console', value: formatNumber(system.followers) },
          {
            label: 'Journal limit',
            value: `${formatBytes(system.journal.max_bytes)}, for ${describeUptime(system.journal.max_age_seconds)}`,
          },
        ]}
      />
      <Nodes nodes={system.nodes} />
      <Redis redis={redis} />
      <Settings settings={system.settings} />
    </>
  )
}

function Settings({ settings }: Pick<SystemStatus, 'settings'>) {
  const fields = Object.entries(settings)
  if (fields.length === 0) return null
  return (
    <Panel
      title="Settings"
      description="The environment variables as of the start of this process, without secrets."
      isFlush
    >
      <ScrollTable label="Settings" heads={['Name', 'Value']} className="data-table">
        <Table.Tbody>
          {fields.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" className="mono">
                <Breakable name={variableOf(name)} />
              </Table.Th>
              <Table.Td className="mono">{describeSetting(name, value)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
    </Panel>
  )
}

/** A name that breaks after its underscores, where a phone has no room for all of it. */
function Breakable({ name }: { readonly name: string }) {
  return name.split(/(?<=_)/).map((part) => (
    <Fragment key={part}>
      {part}
      <wbr />
    </Fragment>
  ))
}

function Metrics() {
  return (
    <Panel
      title="Metrics"
      description="In Prometheus text format. Requires the operator token or TURNPIKE_METRICS_TOKEN."
    >
      <CodeBlock
        title="curl"
        code={`curl ${window.location.origin}/metrics -H "Authorization: Bearer $TURNPIKE_OPERATOR_TOKEN"`}
      />
      <Text size="sm" c="dimmed" mt="sm">
        Health checks need no token:{' '}
        <Anchor inherit underline="always" href="/healthz">
          /healthz
        </Anchor>{' '}
        shows that the process is running,{' '}
        <Anchor inherit underline="always" href="/readyz">
          /readyz
        </Anchor>{' '}
        that it can serve requests.
      </Text>
    </Panel>
  )
}

// Nodes send a heartbeat every two seconds.
const WORRYING_SILENCE_MS = 6_000

type SystemNode = SystemStatus['nodes'][number]

const COLUMNS: readonly Column<SystemNode>[] = [
  { head: 'Node', cell: (node) => <Name node={node} /> },
  { head: 'State', cell: (node) => <LastHeard node={node} /> },
  { head: 'Version', cell: ({ version }) => version, from: 'sm' },
  { head: 'Started', cell: ({ started_at }) => <TimeStamp at={started_at} as="relative" />, from: 'sm' },
  { head: 'ID', cell: ({ id }) => <span className="mono">{id}</span>, from: 'lg' },
]

/** All processes that serve this gateway, as known to the responding node. */
function Nodes({ nodes }: Pick<SystemStatus, 'nodes'>) {
  return (
    <TablePanel
      title="Nodes"
      description="The processes that serve this gateway. A node that stops responding is removed when its lease expires, and its reservations are released."
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
      {node.is_this && <StatusBadge state="This node" tone="neutral" />}
    </Group>
  )
}

function LastHeard({ node }: { readonly node: SystemNode }) {
  if (node.is_this) return <StatusBadge state="Running" tone="good" />
  const silentMs = Date.now() - Date.parse(node.last_heard_at)
  if (silentMs <= WORRYING_SILENCE_MS) return <StatusBadge state="Running" tone="good" />
  return <StatusBadge state={`Silent for ${describeUptime(silentMs / 1_000)}`} tone="warning" />
}

const STATES = {
  shared: { tone: 'good', label: 'Exact across all nodes' },
  local: { tone: 'warning', label: 'Each node enforces its share' },
  refusing: { tone: 'bad', label: 'Requests are refused' },
} as const

const POLICIES = {
  local: 'Each node enforces its share',
  refuse: 'Requests are refused',
} as const

/** How limits are enforced, and what happens without Redis. */
function Redis({ redis }: Pick<SystemStatus, 'redis'>) {
  return (
    <Panel title="Redis" description="Shares limits, holds and balances between nodes.">
      {redis === null ? (
        <Text size="sm" c="dimmed">
          Not used: limits are kept on this machine. For exact limits across several machines, set REDIS_URL.
        </Text>
      ) : (
        <Facts facts={factsOf(redis)} />
      )}
    </Panel>
  )
}

function factsOf(redis: NonNullable<SystemStatus['redis']>) {
  const { tone, label } = STATES[redis.state]
  return [
    { label: 'Limits now', value: <StatusBadge state={label} tone={tone} /> },
    { label: 'Latency', value: describePing(redis.reachable ? redis.ping_ms : null) },
    { label: 'Mode', value: redis.mode },
    { label: 'If unavailable', value: POLICIES[redis.loss_policy] },
    {
      label: 'Memory in use',
      value: redis.used_memory_bytes === null ? 'Unknown' : formatBytes(redis.used_memory_bytes),
    },
  ]
}

function describePing(ms: number | null): string {
  if (ms === null) return 'No response'
  return ms < 1 ? 'under 1 ms' : formatDuration(ms)
}
