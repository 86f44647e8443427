import { createMailSender } from '../edges/mail/send-mail.ts'
import type { ConsoleParts } from '../edges/management-api/console/index.ts'
import type { NoteWrongToken } from '../edges/management-api/operator/index.ts'
import { createOidcProvider } from '../edges/oidc/provider.ts'
import type { Settings } from '../edges/settings/settings.ts'
import { createAccountOperations } from '../manage/console/index.ts'
import { createDashboard, type DashboardParts } from '../manage/dashboard/show-dashboard.ts'
import { AuditLog } from '../manage/identity/audit-log.ts'
import { createIdentity, type IdentityServices } from '../manage/identity/index.ts'
import { systemRandom } from '../manage/operations/random-source.ts'
import type { DescribeRedis, DescribeSystem, ShowDashboard } from '../manage/ports/console.ts'
import type { Diagnostics } from '../manage/ports/diagnostics.ts'
import type { UserOperations } from '../manage/ports/identity.ts'
import type { Operations } from '../manage/ports/operations.ts'
import type { ModelImport } from '../manage/ports/prices.ts'
import { createModelImport } from '../manage/prices/model-import.ts'
import { WrongTokens } from '../rules/access/attempt-throttle.ts'
import type { LiveStreams } from '../serve/delivery/live-streams.ts'
import { formatUsdt } from '../vocabulary/money.ts'
import type { DatabaseStatus, JournalStatus, SystemStatus } from '../vocabulary/system.ts'
import { networkOf } from '../wire/trusted-proxies.ts'
import { remainingCapacity, type Services } from './services.ts'
import { attemptPeers } from './shared-memory.ts'
import type { SystemServices } from './system-services.ts'

/** The account operations of the console. */
export function openAccountApi(
  services: Services,
  { clock, log }: SystemServices,
  { users, diagnostics }: { readonly users: UserOperations; readonly diagnostics: Diagnostics },
): ConsoleParts['account'] {
  const { operations, configuration } = services
  return {
    account: createAccountOperations({
      ...services,
      snapshot: configuration.current,
      examineOwn: diagnostics.examineOwn,
      random: systemRandom,
      audit: new AuditLog(clock, systemRandom.id),
      clock,
      log,
    }),
    operations,
    users,
    clock,
  }
}

/** The first page of operators. */
export function openDashboard(
  { operations, configuration, admissions, router, storage, journal, refusedRequests }: Services,
  { clock }: SystemServices,
  described: Pick<DashboardParts, 'describeSystem' | 'diagnostics'>,
): ShowDashboard {
  return createDashboard({
    ...described,
    catchUp: async () => {
      await Promise.all([journal.catchUp(), refusedRequests.flush()])
    },
    storage,
    operations,
    configuration,
    clock,
    money: admissions,
    routing: router,
    capacity: { remaining: (credential) => remainingCapacity(admissions, credential) },
  })
}

export function openModelImport(
  { operations, configuration, loadPriceList }: Services,
  { clock }: SystemServices,
  diagnostics: Diagnostics,
): ModelImport {
  return createModelImport({
    snapshot: configuration.current,
    operations,
    diagnostics,
    loadPriceList,
    clock,
  })
}

export interface DescribedParts extends Services {
  readonly streams: LiveStreams
  /** Absent when nodes share only the database. */
  readonly describeRedis?: DescribeRedis
}

/** Describes the state of this node. Works while the database is down, because that is when operators look. */
export function systemDescriber(
  settings: Settings,
  { clock }: SystemServices,
  { storage, journal, events, streams, cluster, describeRedis }: DescribedParts,
): DescribeSystem {
  const { node } = cluster.registry
  const shown = shownSettings(settings)
  return async () => {
    const [database, redis, nodes] = await Promise.all([
      describeDatabase(settings, storage),
      describeRedis?.() ?? null,
      cluster.registry.list(),
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
  storage: Services['storage'],
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

function describeJournal(settings: Settings, journal: Services['journal']): JournalStatus {
  return {
    waiting: journal.waiting,
    oldestAtMs: journal.oldestAtMs,
    bytes: journal.waitingBytes,
    maxBytes: settings.journalMaxBytes,
    maxAgeSeconds: settings.journalMaxAgeSeconds,
    refusal: journal.refusal(),
  }
}

/** Lists each setting by name, because a future setting may be a secret. */
export function shownSettings(settings: Settings): SystemStatus['settings'] {
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
    metrics_port: settings.metricsPort,
    metrics_accounts: settings.metricsAccounts,
    profiling: settings.profiling,
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
    welcome_credit: formatUsdt(settings.welcomeCreditNano),
    oidc: settings.oidc?.name ?? null,
  }
}

/** Sign-in to the console, as configured. */
export function openIdentity(
  settings: Settings,
  { clock, log, passwords }: SystemServices,
  { storage, secrets, configuration, operations, cluster }: Services,
): IdentityServices {
  const peers = attemptPeers(cluster)
  return createIdentity({
    store: storage,
    secrets,
    accounts: {
      has: (id) => configuration.current().accounts.has(id),
      nameOf: (id) => configuration.current().accounts.get(id)?.name ?? null,
      create: async (input, actor) => {
        const { id } = await operations.createAccount(input, actor)
        await welcome(operations, settings, id)
        return id
      },
    },
    provider: settings.oidc && createOidcProvider(settings.oidc, clock),
    random: { id: systemRandom.id, bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) },
    clock,
    log,
    passwords,
    allowsSignUp: settings.signUp === 'on',
    publicUrl: settings.publicUrl,
    mail: openLinkMail(settings),
    ...(peers !== undefined && { peers }),
  })
}

/** Links begin with the public URL: one from a request could be a stranger's. */
function openLinkMail({ mailServer, publicUrl }: Settings) {
  return mailServer && publicUrl !== null ? { send: createMailSender(mailServer), publicUrl } : null
}

const WELCOME = { reference: 'welcome-credit', reason: 'Welcome credit' } as const

/** The reference makes it once per account. The account has no user yet, so nobody signs in before it is booked. */
async function welcome(operations: Operations, { welcomeCreditNano }: Settings, accountId: string) {
  if (welcomeCreditNano === 0n) return
  const credit = { ...WELCOME, amountNano: welcomeCreditNano }
  await operations.recordAdjustment(accountId, credit, 'sign-up')
}

/** Counts wrong operator tokens by address. Each burst is one audit event. */
export function openWrongTokens(
  { clock, log }: SystemServices,
  { storage }: Pick<Services, 'storage'>,
): NoteWrongToken {
  const tokens = new WrongTokens(clock)
  const audit = new AuditLog(clock, systemRandom.id)
  return (address) => {
    const { waitMs, toReport } = tokens.note(networkOf(address ?? 'unknown'))
    if (toReport !== null) {
      const after = { address, attempts: toReport }
      const deed = { actor: 'nobody', action: 'operator.token_refused', subject: 'operator-token', after }
      // Not awaited: the answer must not depend on the database.
      storage
        .writeEvent(audit.event(deed))
        .catch((error) => log.trouble('a wrong operator token could not be written to the audit', error))
    }
    return waitMs
  }
}
