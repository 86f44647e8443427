import { hostname } from 'node:os'
import packageFile from '../../package.json' with { type: 'json' }
import type { Settings } from '../edges/settings/settings.ts'
import type { NodeStorage } from '../edges/storage/index.ts'
import { NodeRegistry } from '../manage/nodes/node-registry.ts'
import type { SharedLimits } from '../serve/ports/shared-limits.ts'
import type { SystemServices } from './system-services.ts'
import type { Role } from './workers/role.ts'

/** This process as one of several of the same gateway: the limits they share, and the list of nodes. */
export type Membership = Awaited<ReturnType<typeof openMembership>>

export async function openMembership(
  settings: Settings,
  system: SystemServices,
  { storage, role }: { readonly storage: NodeStorage; readonly role: Role | null },
) {
  const { clock, log } = system
  const nodeId = role?.nodeId ?? `node_${crypto.randomUUID().replaceAll('-', '')}`
  const sharedLimits = await openSharedLimits(settings, system, { nodeId, role })
  const registry = new NodeRegistry({
    node: {
      id: nodeId,
      name: settings.nodeName ?? hostname(),
      version: packageFile.version,
      startedAtMs: clock.nowMs(),
    },
    storage,
    sharedLimits,
    leaseMs: settings.nodeLeaseSeconds * 1_000,
    clock,
    log,
  })
  /** Whether another process may use the same database. */
  const hasCompany = settings.databaseUrl !== null || role !== null
  return { nodeId, sharedLimits, registry, hasCompany }
}

async function openSharedLimits(
  { redisUrl, redisDeadlineMs }: Settings,
  { log }: SystemServices,
  { nodeId, role }: { readonly nodeId: string; readonly role: Role | null },
): Promise<SharedLimits | null> {
  if (redisUrl === null) return role?.sharedLimits ?? null
  const { openRedisLimits } = await import('../edges/redis/index.ts')
  return openRedisLimits({
    url: redisUrl,
    nodeId,
    deadlineMs: redisDeadlineMs,
    onTrouble: (message) => log.trouble('Redis', new Error(message)),
  })
}
