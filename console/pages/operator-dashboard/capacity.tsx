import { Progress, Skeleton, Stack, Text } from '@mantine/core'
import type { Dashboard } from '../../api/wire.ts'
import { Facts, Panel } from '../../parts/layout/panel.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { formatBytes, formatCount, formatDuration, formatNumber } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import type { DashboardProps } from './index.tsx'

type State = Dashboard['capacity']

/** How much room there is: limits in use, what waits for the database, and the nodes. */
export function Capacity({ dashboard }: DashboardProps) {
  return (
    <Panel
      title="Capacity"
      actions={
        <TextLink size="sm" to="/operator/system">
          System
        </TextLink>
      }
    >
      {dashboard === undefined ? (
        <Skeleton height={180} />
      ) : (
        <Stack gap="lg">
          <Facts facts={factsOf(dashboard.capacity)} />
          <Limits limits={dashboard.capacity.limits} />
        </Stack>
      )}
    </Panel>
  )
}

function factsOf({ streams, memory_bytes, database, journal, redis, nodes }: State) {
  return [
    { label: 'Requests under way', value: formatNumber(streams) },
    { label: 'Nodes', value: formatNumber(nodes.length) },
    { label: 'Database latency', value: describePing(database) },
    ...(redis === null ? [] : [{ label: 'Redis latency', value: describePing(redis) }]),
    { label: 'Waiting to be stored', value: <Journal journal={journal} /> },
    { label: 'Memory of this node', value: formatBytes(memory_bytes) },
  ]
}

function describePing({ reachable, ping_ms }: Pick<State['database'], 'reachable' | 'ping_ms'>) {
  if (!reachable || ping_ms === null) return <StatusBadge state="No response" tone="bad" />
  return ping_ms < 1 ? 'under 1 ms' : formatDuration(ping_ms)
}

function Journal({ journal }: Pick<State, 'journal'>) {
  if (journal.refusal !== null) return <StatusBadge state="Full: requests are refused" tone="bad" />
  return `${formatCount(journal.waiting, 'request')}, ${formatBytes(journal.bytes)} of ${formatBytes(journal.max_bytes)}`
}

function Limits({ limits }: Pick<State, 'limits'>) {
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        How much of each credential’s limit is used, this minute
      </Text>
      {limits.length === 0 ? (
        <Text size="sm" c="dimmed">
          No credential has a limit of its own.
        </Text>
      ) : (
        <Stack gap="sm">
          {limits.map((limit) => (
            <Load key={limit.id} load={limit} />
          ))}
        </Stack>
      )}
    </div>
  )
}

const NEARLY_FULL = 0.8

function Load({ load }: { readonly load: State['limits'][number] }) {
  const name = load.label ?? load.id
  return (
    <div>
      <TextLink size="sm" to="/operator/suppliers/$id" params={{ id: load.supplier }}>
        {load.supplier}, {name}
      </TextLink>
      <Bar what="requests" name={name} limit={load.rpm} remaining={load.remaining_requests} />
      <Bar what="tokens" name={name} limit={load.tpm} remaining={load.remaining_tokens} />
    </div>
  )
}

interface BarProps {
  readonly what: string
  readonly name: string
  readonly limit: number | null
  readonly remaining: number | null
}

function Bar({ what, name, limit, remaining }: BarProps) {
  if (limit === null || remaining === null) return null
  const used = Math.max(0, limit - remaining)
  const share = used / limit
  return (
    <>
      <Text size="xs" c="dimmed" className="numeral" mt={4}>
        {formatNumber(used)} of {formatNumber(limit)} {what}
      </Text>
      <Progress.Root size={6}>
        <Progress.Section
          value={Math.min(1, share) * 100}
          color={share >= NEARLY_FULL ? 'red' : 'teal'}
          aria-label={`${what} used of ${name}`}
        />
      </Progress.Root>
    </>
  )
}
