import { LimitsSilent } from '../edges/redis/limits-errors.ts'
import type { Settings } from '../edges/settings/settings.ts'
import type { Metrics } from '../edges/telemetry/metrics/metrics.ts'
import { MemoryAdmissions } from '../edges/windows/memory-admissions.ts'
import { SharedAdmissions } from '../edges/windows/node/shared-admissions.ts'
import type { DescribeRedis } from '../manage/ports/console.ts'
import type { Router } from '../rules/routing/router.ts'
import type { SharedConfiguration } from '../serve/configuration/configuration-follower.ts'
import type { MoneyOwners } from '../serve/ports/admissions.ts'
import type { LiveConfiguration } from '../serve/ports/configuration.ts'
import type { AdmissionLimits, AdmitAnswer, AdmitCall, PinnedTo } from '../serve/ports/shared-limits.ts'
import { withTimeout } from '../vocabulary/clock.ts'
import { isPending, type MaybePromise } from '../vocabulary/runtime/maybe-promise.ts'
import type { Snapshot } from '../vocabulary/runtime/snapshot.ts'
import type { SharedLimitsState } from '../vocabulary/system.ts'
import type { Membership } from './membership.ts'
import type { Persistence } from './persistence.ts'
import type { SystemServices } from './system-services.ts'

/** A membership after this node has joined the shared limits; `admissions` is null when running alone. */
export type Cluster = Membership & { readonly admissions: SharedAdmissions | null }

/** How limits are enforced right now; null when running alone. */
export function sharedLimitsStateOf({ admissions }: Cluster, settings: Settings): SharedLimitsState | null {
  if (admissions === null) return null
  if (admissions.isShared) return 'shared'
  return lossRules(settings).loss === 'local' ? 'local' : 'refusing'
}

/** Why this node cannot serve; null when it can. */
export function ownTroubleOf({ registry, admissions }: Cluster): string | null {
  if (registry.obstacle !== null) return registry.obstacle
  return admissions?.isStarting ? 'waiting for the other nodes to report their holds' : null
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

/** How configuration changes reach this node; undefined when no other process makes any. */
export function sharingOf(
  { sharedLimits }: Membership,
  { storage }: Persistence,
  parts: { readonly reloadBeside: () => Promise<void>; readonly current: () => { readonly version: number } },
): SharedConfiguration {
  const { reloadBeside } = parts
  // Without a limits store, changes of other processes are seen at the next beat: of other nodes, and of the command
  // line, which works on the same database.
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

export interface JoiningParts {
  readonly settings: Settings
  readonly system: SystemServices
  readonly configuration: LiveConfiguration
  readonly router: Router
}

/** Joins the nodes that share limits, holds and balances; null when running alone. */
export async function joinSharedLimits(
  membership: Membership,
  { storage, metrics }: Persistence,
  { settings, system, configuration, router }: JoiningParts,
): Promise<SharedAdmissions | null> {
  const { sharedLimits, nodeId, registry } = membership
  if (sharedLimits === null) return null
  const admissions = new SharedAdmissions({
    admissionLimits: meterAdmissionLimits(sharedLimits, metrics),
    sharedLimits,
    nodeId,
    storage,
    clock: system.clock,
    ...lossRules(settings),
    leaseMs: settings.nodeLeaseSeconds * 1_000,
    refusal: () => (registry.obstacle === null ? null : 'This node is not connected to the limits store.'),
    listLivingNodes: (isFresh) => registry.listLiving(isFresh),
    needsTotals: (keyId) => {
      const key = configuration.current().keys.get(keyId)
      return key !== undefined && (key.usageLimit !== null || key.budget !== null)
    },
    newGeneration: () => `gen_${crypto.randomUUID()}`,
    onPin: (conversation: string, pin: PinnedTo) => router.learnPin(conversation, pin),
    onTrouble: (error) => system.log.trouble('the state that nodes share', error),
  })
  await registry.start({
    // Workers of a killed parent share nothing with those of the next one, so only Redis has an id to compare.
    sharedLimitsId: () => (settings.redisUrl === null ? null : admissions.sharedLimitsId),
    onReturned: () => admissions.reassert(),
  })
  await admissions.start()
  await registry.compareSharedLimits()
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

/** Limits, holds and balances of a process that runs alone. */
export async function loadAdmissions(
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
export async function beatCluster({ registry, admissions, hasCompany }: Cluster): Promise<void> {
  if (!hasCompany) return
  // In parallel: a database that hangs must not stop a node from reporting its holds.
  await Promise.all([registry.beat(), admissions?.beat()])
}

// After this, the other nodes notice the departure when the lease ends.
const LEAVE_PATIENCE_MS = 5_000

/** Call when no request is under way and the journal is closed. A store that hangs does not delay the exit. */
export function leaveCluster(cluster: Cluster): Promise<void> {
  return withTimeout(LEAVE_PATIENCE_MS, leave(cluster), () => undefined)
}

async function leave({ registry, admissions, sharedLimits, hasCompany }: Cluster): Promise<void> {
  const isDone = (await admissions?.stop()) ?? true
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
  const admit = (call: AdmitCall): MaybePromise<AdmitAnswer> => {
    const begunMs = performance.now()
    const answer = limits.admit(call)
    if (isPending(answer)) return metered(answer)
    metrics.noteSharedLimitsCall({ result: 'answered', durationMs: performance.now() - begunMs })
    return answer
  }
  return {
    admit,
    grow: (call) => metered(limits.grow(call)),
    takeCapacity: (...call) => metered(limits.takeCapacity(...call)),
    look: (...call) => metered(limits.look(...call)),
  }
}
