import type { Books } from './books.ts'
import type { ConsoleParts } from './edges/management-api/console/index.ts'
import type { Settings } from './edges/settings/settings.ts'
import { createAccountDesk } from './gateway/console/index.ts'
import { AuditDesk } from './gateway/identity/audit-desk.ts'
import type { LiveStreams } from './gateway/live-streams.ts'
import { systemRandom } from './gateway/operate/random-source.ts'
import type { DescribeRedis, DescribeSystem } from './gateway/ports/console.ts'
import type { UserOperations } from './gateway/ports/identity.ts'
import type { Surroundings } from './surroundings.ts'
import type { DatabaseStatus, JournalStatus, SystemStatus } from './vocabulary/system.ts'

/** What the console shows and changes of accounts. */
export function openAccountApi(
  books: Books,
  { clock, log }: Surroundings,
  users: UserOperations,
): ConsoleParts['account'] {
  const { operations, configuration } = books
  return {
    desk: createAccountDesk({
      ...books,
      snapshot: configuration.current,
      random: systemRandom,
      audit: new AuditDesk(clock, systemRandom.id),
      clock,
      log,
    }),
    operations,
    users,
    clock,
  }
}

export interface DescribedParts extends Books {
  readonly streams: LiveStreams
  /** Absent when nothing is shared but the database. */
  readonly describeRedis?: DescribeRedis
}

/** How this node is doing, also while its database is away: that is when somebody looks. */
export function systemDescriber(
  settings: Settings,
  { clock }: Surroundings,
  { storage, journal, events, streams, commons, describeRedis }: DescribedParts,
): DescribeSystem {
  const { node } = commons.registry
  const shown = shownSettings(settings)
  return async () => {
    const [database, redis, nodes] = await Promise.all([
      describeDatabase(settings, storage),
      describeRedis?.() ?? null,
      commons.registry.list(),
    ])
    const { user, system } = process.cpuUsage()
    const atMs = clock.nowMs()
    return {
      version: node.version,
      nodeId: node.id,
      node: node.name,
      startedAtMs: node.startedAtMs,
      uptimeSeconds: Math.round((atMs - node.startedAtMs) / 1_000),
      database,
      journal: describeJournal(settings, journal),
      redis,
      streams: streams.size,
      followers: events.size,
      memoryBytes: process.memoryUsage.rss(),
      cpuSeconds: Math.round((user + system) / 10_000) / 100,
      nodes: nodes.map((seen) => ({
        ...seen,
        lastHeardAtMs: atMs - seen.silentMs,
        isThis: seen.id === node.id,
      })),
      settings: shown,
    }
  }
}

async function describeDatabase(
  { databaseUrl }: Settings,
  storage: Books['storage'],
): Promise<DatabaseStatus> {
  const engine = databaseUrl === null ? 'sqlite' : 'postgresql'
  try {
    const beganMs = performance.now()
    await storage.ping()
    const pingMs = Math.round((performance.now() - beganMs) * 100) / 100
    const { sizeBytes } = await storage.describeDatabase()
    return { engine, isReachable: true, pingMs, sizeBytes }
  } catch {
    return { engine, isReachable: false, pingMs: null, sizeBytes: null }
  }
}

function describeJournal(settings: Settings, journal: Books['journal']): JournalStatus {
  return {
    waiting: journal.waiting,
    oldestAtMs: journal.oldestAtMs,
    bytes: journal.waitingBytes,
    maxBytes: settings.journalMaxBytes,
    maxAgeSeconds: settings.journalMaxAgeSeconds,
    refusal: journal.refusal(),
  }
}

/** Named one by one: a setting that is added later may be a secret. */
function shownSettings(settings: Settings): SystemStatus['settings'] {
  return {
    port: settings.port,
    hostname: settings.hostname,
    public_url: settings.publicUrl,
    trusted_proxies: settings.trustedProxies.join(', ') || null,
    data_folder: settings.dataFolder,
    database: settings.databaseUrl === null ? 'sqlite' : 'postgresql',
    redis: settings.redisUrl !== null,
    redis_loss: settings.redisLoss,
    redis_deadline_ms: settings.redisDeadlineMs,
    node_name: settings.nodeName,
    node_lease_seconds: settings.nodeLeaseSeconds,
    workers: settings.workers,
    sandbox: settings.sandbox,
    supply_file: settings.supplyFile?.path ?? null,
    log_level: settings.logLevel,
    max_body_bytes: settings.maxBodyBytes,
    max_upload_bytes: settings.maxUploadBytes,
    max_held_body_bytes: settings.maxHeldBodyBytes,
    max_held_body_bytes_per_account: settings.maxHeldBodyBytesPerAccount,
    body_timeout_seconds: settings.bodyTimeoutSeconds,
    connect_timeout_seconds: settings.connectTimeoutSeconds,
    request_deadline_seconds: settings.requestDeadlineSeconds,
    first_byte_timeout_seconds: settings.firstByteTimeoutSeconds,
    idle_timeout_seconds: settings.idleTimeoutSeconds,
    heartbeat_seconds: settings.heartbeatSeconds,
    shutdown_seconds: settings.shutdownSeconds,
    drain_seconds: settings.drainSeconds,
    journal_max_bytes: settings.journalMaxBytes,
    journal_max_age_seconds: settings.journalMaxAgeSeconds,
    journal_fsync: settings.journalFsync,
    tier_downgrade: settings.tierDowngrade,
    tier_grace_days: settings.tierGraceDays,
    settlement_days: settings.settlementDays,
    webhook_allow_private: settings.webhookAllowPrivate,
    asset_hours: settings.assetHours,
    asset_store: settings.assetBucket === null ? 'folder' : 'bucket',
    sign_up: settings.signUp,
    oidc: settings.oidc?.name ?? null,
  }
}
