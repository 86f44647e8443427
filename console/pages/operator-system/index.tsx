import { Alert, Anchor, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import { IconClock, IconDatabase, IconNotebook, IconPlugConnected } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { OPERATOR } from '../../api/operator.ts'
import type { SystemStatus } from '../../api/wire.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { listFields } from '../../parts/field-changes.ts'
import { formatBytes, formatDuration, formatNumber } from '../../parts/format.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatCard } from '../../parts/stat-card.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'
import { describePing } from './describe-ping.ts'
import { describeUptime } from './describe-uptime.ts'
import { Nodes } from './nodes.tsx'
import { Redis } from './redis.tsx'

const EVERY_MS = 5_000

export function Page() {
  const { data, error, refetch } = useQuery({
    queryKey: ['operator', 'system'],
    queryFn: ({ signal }) => api.get<SystemStatus>(`${OPERATOR}/system`, { signal }),
    refetchInterval: (query) => (query.state.error === null ? EVERY_MS : false),
  })
  return (
    <>
      <PageHeader
        title="System"
        description="How this gateway itself is doing. The figures keep themselves up to date."
      />
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

/** What somebody should know before anything else. */
function Warnings({ system }: { readonly system: SystemStatus | undefined }) {
  if (system === undefined) return null
  const { journal, database } = system
  if (journal.refusal !== null) {
    return (
      <Alert color="red" title="No requests are admitted">
        So much waits for the database that the journal has reached its limit: {formatBytes(journal.bytes)} of{' '}
        {formatBytes(journal.max_bytes)}, and records may wait for {describeUptime(journal.max_age_seconds)}.
        Nothing is lost. Bring the database back: this node goes on by itself as soon as the records are
        taken.
      </Alert>
    )
  }
  if (!database.reachable) {
    return (
      <Alert color="yellow" title="The database does not answer">
        Requests go on from what this node has in memory, and their records wait in the journal. Nothing can
        be changed until it is back.
      </Alert>
    )
  }
  return <Lag journal={journal} />
}

/** What was settled and is not in the database yet is safe in the journal, but somebody should know. */
function Lag({ journal }: Pick<SystemStatus, 'journal'>) {
  const oldest = journal.oldest_at
  if (oldest === null || Date.now() - Date.parse(oldest) < WORRYING_LAG_MS) return null
  return (
    <Alert color="yellow" title="The database is behind">
      The oldest record that waits in the journal is from <TimeStamp at={oldest} />. Nothing is lost: it is
      written as soon as the database takes it. Check the database’s health and space.
    </Alert>
  )
}

function Figures({ system }: { readonly system: SystemStatus | undefined }) {
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
        hint={system && describeWaiting(system.journal)}
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

function describeWaiting({ oldest_at, bytes, max_bytes }: SystemStatus['journal']): string {
  return oldest_at === null ? 'All is stored' : `${formatBytes(bytes)} of ${formatBytes(max_bytes)}`
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
          { label: 'Processor time', value: formatDuration(system.cpu_seconds * 1_000) },
          { label: 'Database', value: database.engine },
          {
            label: 'Size of the database',
            value: database.size_bytes === null ? 'Not known' : formatBytes(database.size_bytes),
          },
          { label: 'Consoles following', value: formatNumber(system.followers) },
          {
            label: 'The journal may hold',
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
