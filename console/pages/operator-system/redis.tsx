import { Text } from '@mantine/core'
import type { SystemStatus } from '../../api/wire.ts'
import { formatBytes } from '../../parts/format.ts'
import { Facts, Panel } from '../../parts/panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { describePing } from './describe-ping.ts'

const STATES = {
  shared: { tone: 'good', label: 'Exact over all nodes' },
  local: { tone: 'warning', label: 'Each node enforces its share' },
  refusing: { tone: 'bad', label: 'Requests are refused' },
} as const

const POLICIES = {
  local: 'Each node enforces its share',
  refuse: 'Requests are refused',
} as const

/** What limits are judged by, and what happens without it. */
export function Redis({ redis }: Pick<SystemStatus, 'redis'>) {
  return (
    <Panel title="Redis" description="Where nodes share their limits, holds and balances.">
      {redis === null ? (
        <Text size="sm" c="dimmed">
          Not used: limits are kept on this machine. Several machines need it for exact limits; set REDIS_URL.
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
    { label: 'Answers in', value: describePing(redis.reachable ? redis.ping_ms : null) },
    { label: 'Kind', value: redis.mode },
    { label: 'Without it', value: POLICIES[redis.loss_policy] },
    {
      label: 'Memory in use',
      value: redis.used_memory_bytes === null ? 'Not known' : formatBytes(redis.used_memory_bytes),
    },
  ]
}
