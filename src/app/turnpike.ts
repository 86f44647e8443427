import packageFile from '../../package.json' with { type: 'json' }
import { withApiDocs } from '../edges/api-docs/index.ts'
import { consoleFileEndpoints } from '../edges/console-files/index.ts'
import { guideFileEndpoints } from '../edges/guide-files/index.ts'
import { BodyBudget } from '../edges/http-server/body-budget.ts'
import { defaultConnections, descriptorLimit } from '../edges/http-server/descriptors.ts'
import type { ConnectionLimits } from '../edges/http-server/open-connections.ts'
import { type HttpServer, startServer } from '../edges/http-server/serve.ts'
import { consoleEndpoints } from '../edges/management-api/console/index.ts'
import {
  type OperatorApiOptions,
  operatorCheck,
  operatorEndpoints,
  paymentWebhookEndpoint,
} from '../edges/management-api/operator/index.ts'
import type { Settings } from '../edges/settings/settings.ts'
import { openSupplyFile } from '../edges/supply-file/supply-file.ts'
import type { Alerts } from '../manage/alerts/alerts.ts'
import { createDiagnostics, DOCTOR_PATIENCE_MS } from '../manage/diagnostics/doctor.ts'
import { healthEndpoints } from '../manage/health.ts'
import type { LocalOperations } from '../manage/operations/parts.ts'
import type { Diagnostics } from '../manage/ports/diagnostics.ts'
import type { UserOperations } from '../manage/ports/identity.ts'
import type { Storage } from '../manage/ports/storage.ts'
import { ScheduledJob } from '../manage/scheduled-job.ts'
import { rootEndpoint } from '../manage/service-root.ts'
import type { SinkSender } from '../manage/sinks/sink-sender.ts'
import { BUILT_IN_CATALOG } from '../rules/catalog/built-in/built-in-catalog.ts'
import type { Sandbox } from '../sandbox/server.ts'
import type { LiveStreams } from '../serve/delivery/live-streams.ts'
import type { Gateway } from '../serve/gateway.ts'
import { noteRefusal } from '../serve/note-refusal.ts'
import type { Endpoint } from '../serve/ports/exchange.ts'
import type { Log } from '../serve/ports/log.ts'
import { clientEndpoints } from '../serve/routes.ts'
import { LOOPBACK, NO_TRUSTED_PROXIES, parseTrustedProxies } from '../wire/trusted-proxies.ts'
import { watchBackground } from './background-jobs.ts'
import { buildGateway } from './build-gateway.ts'
import { beatCluster, leaveCluster, ownTroubleOf, redisDescriber, sharedLimitsStateOf } from './cluster.ts'
import type { Started } from './greeting/greeting.ts'
import { readSupplyAtStart } from './greeting/supply-at-start.ts'
import { sweepAssetsHourly } from './image-stores.ts'
import { bindSealsInBackground, scheduleRetention } from './jobs.ts'
import { drain, type Leaving, stopTaking } from './lifecycle.ts'
import {
  openAccountApi,
  openDashboard,
  openIdentity,
  openModelImport,
  openWrongTokens,
  systemDescriber,
} from './open-console.ts'
import { openPersistence, type Persistence } from './persistence.ts'
import { openServices, type Services } from './services.ts'
import { registerVendorKeys } from './supply/environment-supply.ts'
import { makeFirstAccount, makeFirstUser } from './supply/first-start.ts'
import { openSandbox } from './supply/sandbox-supply.ts'
import type { SystemServices } from './system-services.ts'
import { metricsReader, openMetering, openMetricsEndpoint } from './telemetry/open-metrics.ts'
import { openProfiling } from './telemetry/open-profiling.ts'
import { startTelemetry, TELEMETRY_FLUSH_MS } from './telemetry/open-telemetry.ts'
import type { Role } from './workers/role.ts'

export type { SystemServices } from './system-services.ts'

/** A running gateway. */
export interface Turnpike extends Omit<Started, 'hasSandbox'> {
  readonly port: number
  /** Where `/metrics` has a port of its own; null: nowhere. */
  readonly metricsUrl: string | null
  /** All endpoints it serves. */
  readonly endpoints: readonly Endpoint[]
  readonly sandbox: Sandbox | null
  readonly operations: LocalOperations
  readonly storage: Storage
  readonly streams: LiveStreams
  readonly alerts: Alerts
  readonly sinks: SinkSender
  /** Stops accepting, lets streams finish up to the deadline, ends the rest, and stores everything. */
  stop(deadlineMs: number, leaving?: Omit<Leaving, 'finishMs'>): Promise<void>
}

const AT_ONCE = { serveMs: 0, isReplaced: false }

const BEAT_MS = 1_000
const SWEEP_MS = 60 * 60 * 1_000
// Few at a time, so that no other write waits for the sweep.
const SWEEP_PORTION = 500

/** Builds every part and starts serving. The only place where parts are constructed. */
export async function startTurnpike(
  settings: Settings,
  given: SystemServices,
  role: Role | null = null,
): Promise<Turnpike> {
  const telemetry = await startTelemetry(settings, given)
  const system = { ...given, ...telemetry }
  const persistence = { ...(await openPersistence(settings, system, role)), role }
  const { storage, access } = persistence
  const { services, supplyFile, sandbox, serving, ...made } = await storage.exclusively(() =>
    open(settings, system, persistence),
  )
  const { operations, alerts } = services
  const { gateway, endpoints, server, watch, metering } = serving
  const tiers = await scheduleTiers(operations, storage, system)
  const retention = scheduleRetention(settings.settlementDays, system, { ...persistence, watch })
  const beatBackground = await watchBackground(gateway, services, system)
  const beat = setInterval(() => {
    gateway.streams.beat(system.clock.monotonicMs())
    return Promise.all([tiers.beat(), retention?.beat(), beatBackground(), ...beatServices(services, system)])
  }, BEAT_MS)
  const sweep = sweepOften(() => [sweepAll(services, system)])
  const sealing = bindSealsInBackground(storage, system.log)
  const assetSweep = sweepAssetsHourly(gateway.assets, system)
  supplyFile?.follow()
  return {
    url: server.url,
    port: server.port,
    metricsUrl: metering.url,
    endpoints,
    sandbox,
    operations,
    storage,
    streams: gateway.streams,
    alerts,
    sinks: services.sinks,
    newOperatorToken: access.newToken,
    ...made,
    stop: async (deadlineMs, leaving = AT_ONCE) => {
      // A worker that is being replaced answers for the whole gateway, which keeps serving.
      watch.isClosing = !leaving.isReplaced
      await stopTaking(server, { ...leaving, finishMs: deadlineMs })
      // Event streams never end by themselves.
      services.events.endAll()
      await drain({ ...gateway, server }, deadlineMs)
      for (const timer of [beat, sweep]) clearInterval(timer)
      await Promise.all([metering.stop(), assetSweep.stop(), sealing.stop()])
      await supplyFile?.close()
      await tiers.stop()
      await retention?.stop()
      await Promise.all([alerts.stop(), services.sinks.stop()])
      await sandbox?.stop()
      await Promise.all([services.bodies.flush(), services.refusedRequests.flush()])
      await persistence.journal.close()
      await persistence.stored.settled()
      await leaveCluster(services.cluster)
      await persistence.close()
      await telemetry?.stop(TELEMETRY_FLUSH_MS)
    },
  }
}

function beatServices(services: Services, { clock }: SystemServices): Promise<unknown>[] {
  services.sinks.beat()
  services.access.beat()
  const follow = services.events.beat(clock.nowMs())
  const shared = [services.configuration.beat(), beatCluster(services.cluster)]
  return [services.alerts.beat(), services.refusedRequests.beat(), follow, ...shared]
}

function sweepOften(sweep: () => Promise<unknown>[]): Timer {
  return setInterval(() => Promise.all(sweep()), SWEEP_MS)
}

const HOUR_MS = 60 * 60 * 1_000

/** Evaluates tiers every hour, on one node at a time. A missed evaluation runs at once. */
async function scheduleTiers(
  operations: LocalOperations,
  storage: Storage,
  { clock, log }: SystemServices,
): Promise<ScheduledJob> {
  const run = () => operations.evaluateTiers('scheduler')
  const job = new ScheduledJob({ name: 'tiers', periodMs: HOUR_MS, run }, { storage, clock, log })
  await job.beat()
  return job
}

/**
 * Opens the services, starts serving, and creates what a first start creates. Nodes that start together take turns.
 * Secrets come last: they are shown only once, so a start that fails must not have created them.
 */
async function open(
  settings: Settings,
  system: SystemServices,
  persistence: Persistence & { readonly role: Role | null },
) {
  const services = await openServices(settings, system, persistence)
  const { applySupplyText } = services
  const supplyFile =
    settings.supplyFile && openSupplyFile(settings.supplyFile, { apply: applySupplyText, log: system.log })
  // Before the sandbox, which is not opened when the file has real suppliers.
  await supplyFile?.apply()
  // After the file, which describes suppliers in more detail than a key alone.
  await registerVendorKeys(services.operations, settings.vendorKeys, system.log)
  const { role } = persistence
  const sandbox = role === null ? await openSandbox(settings.sandbox, services.operations) : null
  const sandboxUrl = role?.sandboxUrl ?? sandbox?.url ?? null
  const serving = serve(settings, system, { ...services, role, sandboxUrl, sharesPort: role !== null })
  // New secrets are shown only once, so they are synced to disk first, whatever the settings say.
  await persistence.storage.setSurvivesPowerCut(true)
  const newKey = await makeFirstAccount(services.operations, settings.bootstrapKey)
  const newUser = await makeFirstUser(serving.users, services.operations)
  persistence.access.keep()
  await persistence.storage.setSurvivesPowerCut(settings.journalFsync === 'always')
  const [firstAccount = null] = (await services.operations.listAccounts({ limit: 1, cursor: null })).data
  const supply = readSupplyAtStart(services.operations)
  return { services, supplyFile, sandbox, serving, newKey, newUser, firstAccount, supply }
}

interface ServingParts extends Services {
  readonly sandboxUrl: string | null
  readonly sharesPort: boolean
  readonly role: Role | null
}

function serve(settings: Settings, system: SystemServices, services: ServingParts) {
  const { storage, access, secrets } = services
  const gateway = buildGateway(settings, system, services)
  const isOperator = operatorCheck(access, secrets.fingerprint)
  const noteWrongToken = openWrongTokens(system, services)
  const { identity, users } = openIdentity(settings, system, services)
  const guard = { isOperator, noteWrongToken, findOperator: identity.findOperator }
  const watch = { isClosing: false }
  const bodyBudget = new BodyBudget({
    maxBytes: settings.maxHeldBodyBytes,
    maxBytesPerAccount: settings.maxHeldBodyBytesPerAccount,
  })
  const diagnostics = openDiagnostics(gateway, services)
  const metered = { services, gateway, bodyBudget, server: () => server }
  const readMetrics = metricsReader(settings, system, metered)
  services.role?.metrics.provide(readMetrics)
  const served = [
    ...clientEndpoints(gateway),
    ...operatorEndpoints(
      services.operations,
      operatorApiOptions(settings, system, { services, gateway, guard, users, diagnostics }),
    ),
    paymentWebhookEndpoint({
      operations: services.operations,
      secret: settings.paymentWebhookSecret,
      clock: system.clock,
    }),
    openMetricsEndpoint(
      settings,
      { isOperator, noteWrongToken },
      () => services.role?.metrics.readAll() ?? readMetrics(),
    ),
    ...healthEndpoints({
      storage,
      journal: services.journal,
      isClosing: () => watch.isClosing,
      isDatabaseShared: settings.databaseUrl !== null,
      sharedLimitsState: () => sharedLimitsStateOf(services.cluster, settings),
      ownTrouble: () => ownTroubleOf(services.cluster),
    }),
    ...consoleEndpoints({
      identity,
      catchUp: services.configuration.catchUp,
      accountName: (id) => services.configuration.current().accounts.get(id)?.name ?? null,
      publicUrl: settings.publicUrl,
      version: packageFile.version,
      account: openAccountApi(services, system, { users, diagnostics }),
    }),
    ...consoleFileEndpoints(settings.currencyName),
    ...guideFileEndpoints(),
    rootEndpoint(packageFile.version),
  ]
  const endpoints = withApiDocs(served, {
    version: packageFile.version,
    currencyName: settings.currencyName,
  })
  const server = listen(settings, system, { ...services, gateway, endpoints, bodyBudget })
  const metering = openMetering(settings, system, { services, read: readMetrics })
  return { gateway, endpoints, server, watch, users, metering }
}

function openDiagnostics(gateway: Gateway, { storage, refusedRequests }: Services): Diagnostics {
  return createDiagnostics({
    ...gateway,
    storage,
    refusedRequests,
    catalog: BUILT_IN_CATALOG,
    patienceMs: DOCTOR_PATIENCE_MS,
  })
}

interface OperatorApiParts {
  readonly services: ServingParts
  readonly gateway: Gateway
  readonly guard: Pick<OperatorApiOptions, 'isOperator' | 'noteWrongToken' | 'findOperator'>
  readonly users: UserOperations
  readonly diagnostics: Diagnostics
}

function operatorApiOptions(
  settings: Settings,
  system: SystemServices,
  { services, gateway, guard, users, diagnostics }: OperatorApiParts,
): OperatorApiOptions {
  const describeSystem = systemDescriber(settings, system, {
    ...services,
    streams: gateway.streams,
    describeRedis: redisDescriber(services.cluster, settings),
  })
  return {
    ...guard,
    catchUp: services.configuration.catchUp,
    users,
    clock: system.clock,
    describeSystem,
    showDashboard: openDashboard(services, system, { describeSystem, diagnostics }),
    applySupplyText: services.applySupplyText,
    profiling: openProfiling(settings, system, services),
    diagnostics,
    modelImport: openModelImport(services, system, diagnostics),
  }
}

function listen(
  settings: Settings,
  { clock, log, observer }: SystemServices,
  services: ServingParts & {
    readonly gateway: Gateway
    readonly endpoints: readonly Endpoint[]
    readonly bodyBudget: BodyBudget
  },
): HttpServer {
  return startServer({
    hostname: settings.hostname,
    port: settings.port,
    sharesPort: services.sharesPort,
    connectionLimits: connectionLimitsOf(settings, services.sharesPort ? null : log),
    endpoints: services.endpoints,
    noteRefusal: (exchange, error) => noteRefusal(exchange, error, services.gateway),
    bodyLimits: { maxBytes: settings.maxBodyBytes, timeoutMs: settings.bodyTimeoutSeconds * 1_000 },
    bodyBudget: services.bodyBudget,
    readForm: services.images.readForm,
    proxies: parseTrustedProxies(settings.trustedProxies) ?? NO_TRUSTED_PROXIES,
    clock,
    log: services.metrics.countRequests(log),
    observer,
  })
}

// Enough for a few hundred requests at a time.
const LOW_DESCRIPTOR_LIMIT = 4_096

/** Pass a log in only one of the processes that share these limits. */
function connectionLimitsOf(settings: Settings, log: Log | null): ConnectionLimits {
  const limit = descriptorLimit()
  const total = settings.maxConnections ?? defaultConnections(limit)
  if (limit < LOW_DESCRIPTOR_LIMIT || total > limit) {
    log?.notice('the limit of open files is low; raise it with `ulimit -n` or LimitNOFILE', {
      open_files: limit,
      max_connections: total,
    })
  }
  const exempt = parseTrustedProxies([...LOOPBACK, ...settings.trustedProxies]) ?? NO_TRUSTED_PROXIES
  return {
    total,
    perAddress: settings.maxConnectionsPerAddress,
    isExempt: exempt.isTrusted,
  }
}

/** Deletes what has been kept long enough. Never rejects. */
function sweepAll({ storage, bodies, refusedRequests, sinks, alerts }: Services, system: SystemServices) {
  return Promise.all([
    ...[sweepReplies(storage, system), bodies.sweep()],
    ...[refusedRequests.sweep(), sinks.sweep(), alerts.channels.sweep()],
  ])
}

/** Deletes expired replies and conversations. */
async function sweepReplies(storage: Storage, { clock, log }: SystemServices): Promise<void> {
  try {
    while ((await storage.deleteExpiredReplies(clock.nowMs(), SWEEP_PORTION)) === SWEEP_PORTION);
    while ((await storage.deleteExpiredConversations(clock.nowMs(), SWEEP_PORTION)) === SWEEP_PORTION);
  } catch (error) {
    log.trouble('old replies could not be deleted', error)
  }
}
