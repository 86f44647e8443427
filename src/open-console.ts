import { hostname } from 'node:os'
import packageFile from '../package.json' with { type: 'json' }
import type { Books } from './books.ts'
import type { ConsoleParts } from './edges/console-api/index.ts'
import { accountEndpointsFor } from './edges/operator-api/index.ts'
import type { Settings } from './edges/settings/settings.ts'
import { createAccountDesk } from './gateway/console/index.ts'
import { AuditDesk } from './gateway/identity/audit-desk.ts'
import type { LiveStreams } from './gateway/live-streams.ts'
import { systemRandom } from './gateway/operate/random-source.ts'
import type { DescribeSystem, SystemView } from './gateway/ports/console.ts'
import type { UserOperations } from './gateway/ports/identity.ts'
import type { Surroundings } from './surroundings.ts'

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
    operatorEndpoints: accountEndpointsFor(operations, clock),
    users,
    clock,
  }
}

/** How this node is doing. */
export function systemDescriber(
  settings: Settings,
  { clock }: Surroundings,
  { storage, journal, events, streams }: Books & { readonly streams: LiveStreams },
): DescribeSystem {
  const startedAtMs = clock.nowMs()
  const shown = shownSettings(settings)
  return async () => {
    const beganMs = performance.now()
    await storage.ping()
    const pingMs = Math.round((performance.now() - beganMs) * 100) / 100
    const { user, system } = process.cpuUsage()
    return {
      version: packageFile.version,
      node: hostname(),
      startedAtMs,
      uptimeSeconds: Math.round((clock.nowMs() - startedAtMs) / 1_000),
      database: { ...(await storage.describeDatabase()), pingMs },
      journal: { waiting: journal.waiting, oldestAtMs: journal.oldestAtMs },
      streams: streams.size,
      followers: events.size,
      memoryBytes: process.memoryUsage.rss(),
      cpuSeconds: Math.round((user + system) / 10_000) / 100,
      settings: shown,
    }
  }
}

/** Named one by one: a setting that is added later may be a secret. */
function shownSettings(settings: Settings): SystemView['settings'] {
  return {
    port: settings.port,
    hostname: settings.hostname,
    public_url: settings.publicUrl,
    data_folder: settings.dataFolder,
    database: settings.databaseUrl === null ? 'sqlite' : 'postgresql',
    sandbox: settings.sandbox,
    supply_file: settings.supplyFile?.path ?? null,
    log_level: settings.logLevel,
    max_body_bytes: settings.maxBodyBytes,
    max_upload_bytes: settings.maxUploadBytes,
    body_timeout_seconds: settings.bodyTimeoutSeconds,
    connect_timeout_seconds: settings.connectTimeoutSeconds,
    request_deadline_seconds: settings.requestDeadlineSeconds,
    first_byte_timeout_seconds: settings.firstByteTimeoutSeconds,
    idle_timeout_seconds: settings.idleTimeoutSeconds,
    heartbeat_seconds: settings.heartbeatSeconds,
    shutdown_seconds: settings.shutdownSeconds,
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
