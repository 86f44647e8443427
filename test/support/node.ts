import type { NodeStorage } from '../../src/edges/storage/index.ts'
import { openAt, SECRETS, type Site } from '../../src/edges/storage/testing/engines.ts'
import { MemoryAdmissions } from '../../src/edges/windows/memory-admissions.ts'
import { createOperations } from '../../src/manage/operations/index.ts'
import type { LocalOperations } from '../../src/manage/operations/parts.ts'
import { systemRandom } from '../../src/manage/operations/random-source.ts'
import { ScheduledJob } from '../../src/manage/scheduled-job.ts'
import { buildSnapshot } from '../../src/rules/catalog/build-snapshot.ts'
import { Router } from '../../src/rules/routing/router.ts'
import type { SharedConfiguration } from '../../src/serve/configuration/configuration-follower.ts'
import { createLiveConfiguration } from '../../src/serve/configuration/live-configuration.ts'
import type { LiveConfiguration } from '../../src/serve/ports/configuration.ts'
import type { SteadyClock } from '../../src/vocabulary/clock.ts'
import { FORMATS } from '../../src/vocabulary/words.ts'
import { type CollectedLog, createCollectedLog } from './collected-log.ts'

/** The operator side of a node without its server: real operations on a real database. */
export interface Node {
  readonly operations: LocalOperations
  readonly storage: NodeStorage
  readonly configuration: LiveConfiguration
  readonly money: MemoryAdmissions
  /** The hourly evaluation, which beats when the test says so. */
  readonly evaluation: ScheduledJob
  readonly log: CollectedLog
}

export interface NodeOptions {
  readonly clock: SteadyClock
  readonly tierGraceMs?: number | null
  /** How it learns of other nodes' changes; from the database alone by default. */
  readonly announcing?: Pick<SharedConfiguration, 'newestVersion' | 'announce'>
}

export async function startNode(
  site: Site,
  { clock, tierGraceMs = null, announcing = {} }: NodeOptions,
): Promise<Node> {
  const storage = await openAt(site)
  const money = new MemoryAdmissions(clock, await storage.loadBalances())
  const log = createCollectedLog()
  const first = buildSnapshot(await storage.loadConfiguration())
  const configuration = createLiveConfiguration(first, { storage, ...announcing })
  const operations = createOperations({
    storage,
    catchUp: () => Promise.resolve(),
    configuration,
    money,
    capacity: { remaining: ({ rpm, tpm }) => ({ requests: rpm, tokens: tpm }) },
    routing: new Router({ clock, random: () => 0.5 }),
    clock,
    secrets: SECRETS,
    random: systemRandom,
    tierGraceMs,
    loadPriceList: async () => (await import('../../src/edges/price-list/index.ts')).priceList,
    supplierTypes: [{ name: 'openai-compatible', formats: FORMATS }],
    formats: FORMATS,
  })
  const job = { name: 'tiers', periodMs: 3_600_000, run: () => operations.evaluateTiers('scheduler') }
  const evaluation = new ScheduledJob(job, { storage, clock, log })
  return { operations, storage, configuration, money, log, evaluation }
}

/** Every audit event, oldest first, as its action and subject. */
export async function auditOf({ storage }: Pick<Node, 'storage'>): Promise<string[]> {
  const { data } = await storage.listAuditEvents({ limit: 200, cursor: null })
  return data.map(({ action, subject }) => `${action} ${subject}`).toReversed()
}
