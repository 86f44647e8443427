import { Alert, Anchor, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import { IconClock, IconDatabase, IconNotebook, IconPlugConnected } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type SystemNode, type SystemState, systemQuery } from '../../api/operator-system.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { listFields } from '../../parts/field-changes.ts'
import { formatBytes, formatDuration, formatNumber } from '../../parts/format.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatCard } from '../../parts/stat-card.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'
import { wholeList } from '../../parts/whole-list.ts'
import { describeUptime } from './describe-uptime.ts'

export function Page() {
  const { data, error, refetch } = useQuery(systemQuery)
  return (
    <>
      <PageHeader
        title="System"
        description="How this gateway itself is doing. The figures keep themselves up to date."
      />
      <Stack gap="lg">
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        <Lag system={data} />
        {(data !== undefined || error === null) && <Figures system={data} />}
        {data !== undefined && <Details system={data} />}
        <Metrics />
      </Stack>
    </>
  )
}

const WORRYING_LAG_MS = 10_000

/** What was settled and is not in the database yet is safe in the journal, but somebody should know. */
function Lag({ system }: { readonly system: SystemState | undefined }) {
  const oldest = system?.journal.oldest_at ?? null
  if (oldest === null || Date.now() - Date.parse(oldest) < WORRYING_LAG_MS) return null
  return (
    <Alert color="yellow" title="The database is behind">
      The oldest record that waits in the journal is from <TimeStamp at={oldest} />. Nothing is lost: it is
      written as soon as the database takes it. Check the database’s health and space.
    </Alert>
  )
}

function Figures({ system }: { readonly system: SystemState | undefined }) {
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <StatCard
        label="Streams under way"
        value={system && formatNumber(system.streams)}
        icon={IconPlugConnected}
      />
      <StatCard
        label="Database answers in"
        value={system && describePing(system.database.ping_ms)}
        hint={system?.database.engine}
        icon={IconDatabase}
      />
      <StatCard
        label="Waiting in the journal"
        value={system && formatNumber(system.journal.waiting)}
        hint={system && (system.journal.oldest_at === null ? 'All is stored' : 'Records to be stored')}
        icon={IconNotebook}
      />
      <StatCard
        label="Running for"
        value={system && describeUptime(system.uptime_seconds)}
        hint={system && <TimeStamp at={system.started_at} />}
        icon={IconClock}
      />
    </SimpleGrid>
  )
}

function describePing(ms: number): string {
  return ms < 1 ? 'under 1 ms' : formatDuration(ms)
}

function Details({ system }: { readonly system: SystemState }) {
  const { database, redis } = system
  return (
    <>
      <Panel title="This node">
        <Facts
          facts={[
            { label: 'Node', value: <span className="mono">{system.node}</span> },
            { label: 'Version', value: system.version },
            { label: 'Memory', value: formatBytes(system.memory_bytes) },
            { label: 'Processor time', value: formatDuration(system.cpu_seconds * 1_000) },
            { label: 'Database', value: database.engine },
            {
              label: 'Size of the database',
              value: formatBytes(database.size_bytes),
            },
            { label: 'Consoles following', value: formatNumber(system.followers) },
            { label: 'Redis', value: redis === null ? 'Not used' : describe(redis) },
          ]}
        />
      </Panel>
      <Nodes nodes={system.nodes} />
      <Settings settings={system.settings} />
    </>
  )
}

function describe(fields: Readonly<Record<string, unknown>>): string {
  return listFields(fields)
    .map(([path, text]) => `${path} ${text}`)
    .join(', ')
}

const NODE_COLUMNS: readonly Column<SystemNode>[] = [
  { head: 'Node', cell: ({ node }) => <span className="mono">{node}</span> },
  { head: 'Version', cell: ({ version }) => version },
  { head: 'Started', cell: ({ started_at }) => <TimeStamp at={started_at} as="relative" /> },
]

function Nodes({ nodes }: Pick<SystemState, 'nodes'>) {
  return (
    <Panel title="Nodes" description="The processes that serve this gateway; each tells of itself." isFlush>
      <DataTable
        label="Nodes"
        list={wholeList(nodes)}
        columns={NODE_COLUMNS}
        rowKey={({ node }) => node}
        empty={null}
      />
    </Panel>
  )
}

function Settings({ settings }: Pick<SystemState, 'settings'>) {
  const fields = listFields(settings)
  if (fields.length === 0) return null
  return (
    <Panel title="Settings" description="As this process was started. Secrets are left out." isFlush>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls must be reachable by keyboard. */}
      <section className="table-scroll" tabIndex={0} aria-label="Settings">
        <Table className="data-table">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Name</Table.Th>
              <Table.Th scope="col">Value</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {fields.map(([name, text]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" className="mono">
                  {name}
                </Table.Th>
                <Table.Td className="mono">{text}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </Panel>
  )
}

function Metrics() {
  return (
    <Panel title="Metrics" description="For Prometheus, in its text form. Send the operator token.">
      <CodeBlock
        title="curl"
        code={`curl ${window.location.origin}/metrics -H "Authorization: Bearer $OPERATOR_TOKEN"`}
      />
      <Text size="sm" c="dimmed" mt="sm">
        Health checks need no token:{' '}
        <Anchor inherit underline="always" href="/healthz">
          /healthz
        </Anchor>{' '}
        tells that the process lives,{' '}
        <Anchor inherit underline="always" href="/readyz">
          /readyz
        </Anchor>{' '}
        that it can serve.
      </Text>
    </Panel>
  )
}
