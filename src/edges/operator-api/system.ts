import type { DescribeSystem, SystemView } from '../../gateway/ports/console.ts'
import type { Endpoint } from '../../gateway/ports/exchange.ts'
import { describeOptionalTime, describeTime } from '../../rules/catalog/describe-time.ts'
import { OPERATOR_PATH } from './address.ts'
import { requireKnownQuery } from './read-values.ts'

export function systemEndpoints(describeSystem: DescribeSystem): Endpoint[] {
  return [
    {
      method: 'GET',
      path: `${OPERATOR_PATH}/system`,
      handle: async ({ query }) => {
        requireKnownQuery(query, [])
        return Response.json(renderSystem(await describeSystem()))
      },
    },
  ]
}

function renderSystem(view: SystemView) {
  const startedAt = describeTime(view.startedAtMs)
  return {
    version: view.version,
    node: view.node,
    started_at: startedAt,
    uptime_seconds: view.uptimeSeconds,
    database: {
      engine: view.database.engine,
      ping_ms: view.database.pingMs,
      size_bytes: view.database.sizeBytes,
    },
    journal: { waiting: view.journal.waiting, oldest_at: describeOptionalTime(view.journal.oldestAtMs) },
    redis: null,
    streams: view.streams,
    followers: view.followers,
    memory_bytes: view.memoryBytes,
    cpu_seconds: view.cpuSeconds,
    // Nodes do not know of one another: each tells of itself.
    nodes: [{ node: view.node, version: view.version, started_at: startedAt }],
    settings: view.settings,
  }
}
