import type { DescribeSystem, DeskView, JournalView, SystemView } from '../../../gateway/ports/console.ts'
import type { Endpoint } from '../../../gateway/ports/exchange.ts'
import type { SeenNode } from '../../../gateway/ports/shared-books.ts'
import { formatOptionalTime, formatTime } from '../../../vocabulary/time.ts'
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
  return {
    version: view.version,
    node_id: view.nodeId,
    node: view.node,
    started_at: formatTime(view.startedAtMs),
    uptime_seconds: view.uptimeSeconds,
    database: {
      engine: view.database.engine,
      reachable: view.database.pingMs !== null,
      ping_ms: view.database.pingMs,
      size_bytes: view.database.sizeBytes,
    },
    journal: renderJournal(view.journal),
    redis: view.desk === null ? null : renderDesk(view.desk),
    streams: view.streams,
    followers: view.followers,
    memory_bytes: view.memoryBytes,
    cpu_seconds: view.cpuSeconds,
    nodes: view.nodes.map((node) => renderNode(node, view)),
    settings: view.settings,
  }
}

function renderJournal({ waiting, oldestAtMs, bytes, maxBytes, maxAgeSeconds, refusal }: JournalView) {
  return {
    waiting,
    oldest_at: formatOptionalTime(oldestAtMs),
    bytes,
    max_bytes: maxBytes,
    max_age_seconds: maxAgeSeconds,
    refusal,
  }
}

function renderDesk({ mode, isReachable, pingMs, lossPolicy, state, usedMemoryBytes }: DeskView) {
  return {
    mode,
    reachable: isReachable,
    ping_ms: pingMs,
    loss_policy: lossPolicy,
    state,
    used_memory_bytes: usedMemoryBytes,
  }
}

function renderNode({ id, name, version, startedAtMs, silentMs }: SeenNode, { atMs, nodeId }: SystemView) {
  return {
    id,
    name,
    version,
    started_at: formatTime(startedAtMs),
    last_heard_at: formatTime(atMs - silentMs),
    is_this: id === nodeId,
  }
}
