import type { NodeStorage } from '../../src/edges/storage/index.ts'
import { openAt, SECRETS, type Site } from '../../src/edges/storage/testing/engines.ts'
import { MemoryAdmissions } from '../../src/edges/windows/memory-admissions.ts'
import { createLiveConfiguration } from '../../src/gateway/live-configuration.ts'
import { createOperations, type LocalOperations } from '../../src/gateway/operate/index.ts'
import { systemRandom } from '../../src/gateway/operate/random-source.ts'
import { ScheduledJob } from '../../src/gateway/scheduled-job.ts'
import { buildSnapshot } from '../../src/rules/catalog/build-snapshot.ts'
import { Router } from '../../src/rules/routing/router.ts'
import type { Clock } from '../../src/vocabulary/clock.ts'
import { FORMATS } from '../../src/vocabulary/supply.ts'
import { type CollectedLog, createCollectedLog } from './collected-log.ts'

/** The operator side of a node without its server: real operations on a real database. */
export interface Node {
  readonly operations: LocalOperations
  readonly storage: NodeStorage
  readonly money: MemoryAdmissions
  /** The hourly evaluation, which beats when the test says so. */
  readonly evaluation: ScheduledJob
  readonly log: CollectedLog
}

export interface NodeOptions {
  readonly clock: Clock
  readonly tierGraceMs?: number | null
}

export async function startNode(site: Site, { clock, tierGraceMs = null }: NodeOptions): Promise<Node> {
  const storage = await openAt(site)
  const money = new MemoryAdmissions(clock, await storage.loadBalances())
  const log = createCollectedLog()
  const operations = createOperations({
    storage,
    catchUp: () => Promise.resolve(),
    configuration: createLiveConfiguration(buildSnapshot(await storage.loadConfiguration())),
    money,
    capacity: { remaining: ({ rpm, tpm }) => ({ requests: rpm, tokens: tpm }) },
    routing: new Router({ clock, random: () => 0.5 }),
    clock,
    secrets: SECRETS,
    random: systemRandom,
    tierGraceMs,
    supplierTypes: [],
    formats: FORMATS,
  })
  const job = { name: 'tiers', periodMs: 3_600_000, run: () => operations.evaluateTiers('scheduler') }
  return { operations, storage, money, log, evaluation: new ScheduledJob(job, { storage, clock, log }) }
}

/** Every audit event, oldest first, as its action and subject. */
export async function auditOf({ storage }: Pick<Node, 'storage'>): Promise<string[]> {
  const { data } = await storage.listAuditEvents({ limit: 200, cursor: null })
  return data.map(({ action, subject }) => `${action} ${subject}`).toReversed()
}
