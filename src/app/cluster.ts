import { hostname } from 'node:os'
import packageFile from '../../package.json' with { type: 'json' }
import { LimitsSilent, openRedisLimits } from '../edges/redis/index.ts'
import type { Settings } from '../edges/settings/settings.ts'
import type { Metrics } from '../edges/telemetry/metrics.ts'
import { MemoryAdmissions } from '../edges/windows/memory-admissions.ts'
import { SharedAdmissions } from '../edges/windows/node/shared-admissions.ts'
import { NodeRegistry } from '../manage/nodes/node-registry.ts'
import type { DescribeRedis } from '../manage/ports/console.ts'
import type { Router } from '../rules/routing/router.ts'
import type { SharedConfiguration } from '../serve/configuration/configuration-follower.ts'
import type { Admissions, MoneyOwners } from '../serve/ports/admissions.ts'
import type { LiveConfiguration } from '../serve/ports/configuration.ts'
import type { AdmissionLimits, PinnedTo, SharedLimits } from '../serve/ports/shared-limits.ts'
import { withTimeout } from '../vocabulary/clock.ts'
import type { Snapshot } from '../vocabulary/runtime/snapshot.ts'
import type { SharedLimitsState } from '../vocabulary/system.ts'
import type { Persistence } from './persistence.ts'
import type { SystemServices } from './system-services.ts'
import type { Role } from './workers/role.ts'

export type Cluster = ReturnType<typeof openCluster>

/** What this process shares with others of the same gateway: limits and the list of nodes. */
export function openCluster(
  settings: Settings,
  system: SystemServices,
  persistence: Persistence & { readonly role: Role | null },
) {
  const { role, storage } = persistence
  const { clock, log } = system
  const nodeId = role?.nodeId ?? `node_${crypto.randomUUID().replaceAll('-', '')}`
  const sharedLimits = openSharedLimits(settings, system, { nodeId, role })
  const state: { admissions: SharedAdmissions | null } = { admissions: null }
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
    // Workers of a killed parent share nothing with those of the next one, so only Redis has an id to compare.
    sharedLimitsId: () => (settings.redisUrl === null ? null : (state.admissions?.sharedLimitsId ?? null)),
    onReturned: () => state.admissions?.reassert(),
    clock,
    log,
  })
  /** Whether another process may use the same database. */
  const hasCompany = settings.databaseUrl !== null || role !== null
  persistence.company.hasOthers = () => hasCompany && registry.hasOthers
  return { nodeId, sharedLimits, registry, hasCompany, state }
}

/** How limits are enforced right now; null when running alone. */
export function sharedLimitsStateOf({ state }: Cluster, settings: Settings): SharedLimitsState | null {
  if (state.admissions === null) return null
  if (state.admissions.isShared) return 'shared'
  return lossRules(settings).loss === 'local' ? 'local' : 'refusing'
}

/** Why this node cannot serve; null when it can. */
export function ownTroubleOf({ registry, state }: Cluster): string | null {
  if (registry.conflict !== null) return registry.conflict
  return state.admissions?.isStarting ? 'waiting for the other nodes to report their holds' : null
}

/** Describes the state of Redis as this node sees it. */
export function redisDescriber(cluster: Cluster, settings: Settings): DescribeRedis {
  const { redisUrl, redisLoss } = settings
  const { sharedLimits } = cluster
  return async () => {
    if (redisUrl === null || sharedLimits === null) return null
    const begunMs = performance.now()
    const isReachable = await sharedLimits.configurationVersion().then(
      () => true,
      () => false,
    )
    return {
      mode: modeOf(redisUrl),
      isReachable,
      pingMs: isReachable ? Math.round((performance.now() - begunMs) * 100) / 100 : null,
      lossPolicy: redisLoss,
      state: sharedLimitsStateOf(cluster, settings) ?? 'shared',
      usedMemoryBytes: null,
    }
  }
}

function modeOf(redisUrl: string): 'single' | 'sentinel' | 'cluster' {
  if (/^rediss?\+cluster:/.test(redisUrl)) return 'cluster'
  return /^rediss?\+sentinel:/.test(redisUrl) ? 'sentinel' : 'single'
}

function openSharedLimits(
  { redisUrl, redisDeadlineMs }: Settings,
  { log }: SystemServices,
  { nodeId, role }: { readonly nodeId: string; readonly role: Role | null },
): SharedLimits | null {
  if (redisUrl === null) return role?.sharedLimits ?? null
  return openRedisLimits({
    url: redisUrl,
    nodeId,
    deadlineMs: redisDeadlineMs,
    onTrouble: (message) => log.trouble('Redis', new Error(message)),
  })
}

/** How configuration changes reach this node; undefined when no other process makes any. */
export function sharingOf(
  { sharedLimits, hasCompany }: Cluster,
  { storage }: Persistence,
  parts: { readonly reloadBeside: () => Promise<void>; readonly current: () => { readonly version: number } },
): SharedConfiguration | undefined {
  if (!hasCompany) return undefined
  const { reloadBeside } = parts
  // Without a limits store, changes of other processes are seen at the next beat.
  if (sharedLimits === null)
    return { storage, reloadBeside, newestVersion: async () => parts.current().version }
  return {
    storage,
    reloadBeside,
    newestVersion: () => sharedLimits.configurationVersion(),
    announce: async (version) => {
      await sharedLimits.announceConfiguration(version)
      await sharedLimits.publish({ type: 'configuration', version })
    },
  }
}

export interface AdmissionParts {
  readonly configuration: LiveConfiguration
  readonly router: Router
  readonly onNews: (accountId: string, keyIds: readonly string[]) => void
}

/** Limits, holds and balances: those of this process, or those that all nodes share. */
export async function openAdmissions(
  cluster: Cluster,
  persistence: Persistence,
  {
    settings,
    system,
    ...parts
  }: AdmissionParts & {
    readonly settings: Settings
    readonly system: SystemServices
  },
): Promise<Admissions> {
  const { sharedLimits, nodeId, registry, state } = cluster
  const { storage, stored } = persistence
  const { clock, log } = system
  if (sharedLimits === null) {
    stored.ignore()
    return loadAdmissions(persistence, system)
  }
  const { configuration, router, onNews } = parts
  const admissions = new SharedAdmissions({
    admissionLimits: meterAdmissionLimits(sharedLimits, persistence.metrics),
    sharedLimits,
    nodeId,
    storage,
    clock,
    ...lossRules(settings),
    leaseMs: settings.nodeLeaseSeconds * 1_000,
    outlivesLimits: settings.redisUrl !== null,
    refusal: () => (registry.conflict === null ? null : 'This node is not connected to the limits store.'),
    listLivingNodes: (isFresh) => registry.listLiving(isFresh),
    needsTotals: (keyId) => {
      const key = configuration.current().keys.get(keyId)
      return key !== undefined && (key.usageLimit !== null || key.budget !== null)
    },
    newGeneration: () => `gen_${crypto.randomUUID()}`,
    onPin: (conversation: string, pin: PinnedTo) => router.learnPin(conversation, pin),
    onNews,
    onTrouble: (error) => log.trouble('the state that nodes share', error),
  })
  state.admissions = admissions
  await registry.start()
  await admissions.start()
  await registry.compareSharedLimits()
  stored.listen((settlements, balances) => admissions.noteStored(settlements, balances))
  await admissions.refresh(watchedOwners(configuration.current()))
  return admissions
}

/** Accounts and keys whose money the alerts watch from the start. */
function watchedOwners({ accounts, keys }: Snapshot): MoneyOwners {
  return {
    accountIds: [...accounts.values()].flatMap(({ id, balanceAlertNano }) =>
      balanceAlertNano === null ? [] : [id],
    ),
    keyIds: [...keys.values()].flatMap(({ id, usageLimit, budget }) =>
      usageLimit === null && budget === null ? [] : [id],
    ),
  }
}

// A parent that takes this long hangs, and its workers end with it.
const PARENT_DEADLINE_MS = 5_000

/** The loss policy. Workers refuse, since they end when their parent is gone. */
function lossRules({ redisUrl, redisLoss, redisDeadlineMs }: Settings) {
  if (redisUrl === null) return { loss: 'refuse', deadlineMs: PARENT_DEADLINE_MS } as const
  return { loss: redisLoss, deadlineMs: redisDeadlineMs }
}

async function loadAdmissions(
  { storage }: Persistence,
  { clock }: SystemServices,
): Promise<MemoryAdmissions> {
  const admissions = new MemoryAdmissions(clock, await storage.loadBalances())
  const spends = await storage.loadDailySpends(null)
  for (const [keyId, ofKey] of Map.groupBy(spends, (spend) => spend.keyId))
    admissions.loadKeySpend(keyId, ofKey)
  return admissions
}

/** Call about once a second. Never rejects. */
export async function beatCluster({ registry, state, hasCompany }: Cluster): Promise<void> {
  if (!hasCompany) return
  // In parallel: a database that hangs must not stop a node from reporting its holds.
  await Promise.all([registry.beat(), state.admissions?.beat()])
}

// After this, the other nodes notice the departure when the lease ends.
const LEAVE_PATIENCE_MS = 5_000

/** Call when no request is under way and the journal is closed. A store that hangs does not delay the exit. */
export function leaveCluster(cluster: Cluster): Promise<void> {
  return withTimeout(LEAVE_PATIENCE_MS, leave(cluster), () => undefined)
}

async function leave({ registry, state, sharedLimits, hasCompany }: Cluster): Promise<void> {
  const isDone = (await state.admissions?.stop()) ?? true
  if (hasCompany) await registry.stop({ hasHolds: !isDone })
  await sharedLimits?.close()
}

/** Gauges of this node as one of several. */
export function readNodeGauges(
  settings: Settings,
  { clock }: SystemServices,
  { journal, cluster }: Pick<Persistence, 'journal'> & { readonly cluster: Cluster },
) {
  const sharedLimitsState = sharedLimitsStateOf(cluster, settings)
  const { oldestAtMs } = journal
  return {
    journal: {
      bytes: journal.waitingBytes,
      maxBytes: settings.journalMaxBytes,
      oldestSeconds: oldestAtMs === null ? 0 : Math.max(0, clock.nowMs() - oldestAtMs) / 1_000,
      isRefusing: journal.refusal() !== null,
    },
    nodesLiving: cluster.registry.livingCount,
    ...(sharedLimitsState !== null && { sharedLimitsState }),
  }
}

/** Records how long requests wait for the limits store. */
function meterAdmissionLimits(limits: AdmissionLimits, metrics: Metrics): AdmissionLimits {
  const metered = async <Answer>(call: Promise<Answer>): Promise<Answer> => {
    const begunMs = performance.now()
    try {
      const answer = await call
      metrics.noteSharedLimitsCall({ result: 'answered', durationMs: performance.now() - begunMs })
      return answer
    } catch (error) {
      const result = error instanceof LimitsSilent ? 'late' : 'failed'
      metrics.noteSharedLimitsCall({ result, durationMs: performance.now() - begunMs })
      throw error
    }
  }
  return {
    admit: (call) => metered(limits.admit(call)),
    takeCapacity: (...call) => metered(limits.takeCapacity(...call)),
    look: (...call) => metered(limits.look(...call)),
  }
}
