import { join } from 'node:path'
import { withApiDocs } from './api-document.ts'
import { type HttpServer, startServer } from './edges/http-server/serve.ts'
import { fetchImage } from './edges/image-fetcher/fetch-image.ts'
import { FileJournal } from './edges/journal/file-journal.ts'
import { operatorCheck, operatorEndpoints, paymentWebhookEndpoint } from './edges/operator-api/index.ts'
import { type DataFolder, openDataFolder } from './edges/settings/data-folder.ts'
import type { Settings } from './edges/settings/settings.ts'
import { openStorage } from './edges/storage/index.ts'
import { SupplierClient } from './edges/supplier-client/supplier-client.ts'
import { createTextApplication } from './edges/supply-file/apply-text.ts'
import { openSupplyFile } from './edges/supply-file/supply-file.ts'
import { Metrics } from './edges/telemetry/metrics.ts'
import { countingRequests, metricsEndpoint } from './edges/telemetry/metrics-endpoint.ts'
import { MemoryAdmissions } from './edges/windows/memory-admissions.ts'
import { registerVendorKeys } from './environment-supply.ts'
import { GatewayError } from './errors/gateway-error.ts'
import { findOperatorAccess, findServerSecret, makeFirstAccount } from './first-start.ts'
import { addCapacity, credentialCapacity } from './gateway/capacity.ts'
import type { Gateway } from './gateway/gateway.ts'
import { healthEndpoints } from './gateway/health.ts'
import { createLiveConfiguration } from './gateway/live-configuration.ts'
import { LiveStreams } from './gateway/live-streams.ts'
import { createDiagnostics, DOCTOR_PATIENCE_MS } from './gateway/operate/doctor.ts'
import { createOperations, type LocalOperations } from './gateway/operate/index.ts'
import { systemRandom } from './gateway/operate/random-source.ts'
import type { Admissions, WindowDemand } from './gateway/ports/admissions.ts'
import type { Endpoint } from './gateway/ports/exchange.ts'
import type { Log } from './gateway/ports/log.ts'
import type { Storage } from './gateway/ports/storage.ts'
import { clientEndpoints } from './gateway/routes.ts'
import { ScheduledJob } from './gateway/scheduled-job.ts'
import { ThinkingMemory } from './gateway/translate/thinking-memory.ts'
import { createSealer, createSecretKeeper, firstFingerprintKey } from './rules/access/server-secret.ts'
import { buildSnapshot } from './rules/catalog/build-snapshot.ts'
import { BUILT_IN_CATALOG } from './rules/catalog/built-in/built-in-catalog.ts'
import { LearnedParameters } from './rules/routing/learned-parameters.ts'
import { Router } from './rules/routing/router.ts'
import { type Sandbox, startSandbox } from './sandbox/server.ts'
import { hasOtherSuppliers, registerSandbox, retireSandbox } from './sandbox-supply.ts'
import { AccessTokens } from './suppliers/access-tokens.ts'
import { SUPPLIER_TYPES_SERVED } from './suppliers/index.ts'
import type { Clock } from './vocabulary/clock.ts'
import { type Credential, FORMATS } from './vocabulary/supply.ts'

/** What a test may put in place of the real thing. */
export interface Surroundings {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

/** A running gateway. */
export interface Turnpike {
  readonly url: string
  readonly port: number
  /** Everything that can be asked of it. */
  readonly endpoints: readonly Endpoint[]
  readonly sandbox: Sandbox | null
  readonly operations: LocalOperations
  readonly storage: Storage
  readonly streams: LiveStreams
  /** Made by this very start and shown once; null on any later start. */
  readonly newOperatorToken: string | null
  readonly newKey: string | null
  /** Stops accepting, lets streams finish up to the deadline, ends the rest, and stores everything. */
  stop(deadlineMs: number): Promise<void>
}

const BEAT_MS = 1_000
const SWEEP_MS = 60 * 60 * 1_000
// Few at a time, so that no other write waits for the sweep.
const SWEEP_PORTION = 500

/** Builds every part and starts serving. The only place where parts are constructed. */
export async function startTurnpike(settings: Settings, surroundings: Surroundings): Promise<Turnpike> {
  const vault = await openVault(settings, surroundings)
  const { storage, access } = vault
  const { books, supplyFile, sandbox, serving, newKey } = await storage.exclusively(() =>
    open(settings, surroundings, vault),
  )
  const { operations } = books
  const { gateway, endpoints, server, watch } = serving
  const tiers = await scheduleTiers(operations, storage, surroundings)
  const beat = setInterval(() => {
    gateway.streams.beat(surroundings.clock.nowMs())
    return tiers.beat()
  }, BEAT_MS)
  const sweep = setInterval(() => sweepReplies(storage, surroundings), SWEEP_MS)
  supplyFile?.follow()
  return {
    url: server.url,
    port: server.port,
    endpoints,
    sandbox,
    operations,
    storage,
    streams: gateway.streams,
    newOperatorToken: access.newToken,
    newKey,
    stop: async (deadlineMs) => {
      watch.isClosing = true
      await drain(server, gateway.streams, deadlineMs)
      clearInterval(beat)
      clearInterval(sweep)
      await supplyFile?.close()
      await tiers.stop()
      await sandbox?.stop()
      await vault.close()
    },
  }
}

const HOUR_MS = 60 * 60 * 1_000
const DAY_MS = 24 * HOUR_MS

/** Evaluates tiers every hour, on one node of all; what was missed while none ran is made up for at once. */
async function scheduleTiers(
  operations: LocalOperations,
  storage: Storage,
  { clock, log }: Surroundings,
): Promise<ScheduledJob> {
  const run = () => operations.evaluateTiers('scheduler')
  const job = new ScheduledJob({ name: 'tiers', periodMs: HOUR_MS, run }, { storage, clock, log })
  await job.beat()
  return job
}

type Vault = Awaited<ReturnType<typeof openVault>>

/** Everything that lasts: folder, database and journal, with what an earlier process left behind put in order. */
async function openVault(settings: Settings, { log }: Surroundings) {
  const folder = openDataFolder(settings.dataFolder)
  const { storage, secrets } = await openKeptSecrets(settings, folder)
  const access = findOperatorAccess(settings.operatorToken, folder, secrets)
  const metrics = new Metrics()
  const journal = await FileJournal.start({
    folder: join(folder.path, 'journal'),
    persist: async (settlements) => {
      await storage.writeSettlements(settlements)
      metrics.noteSettlements(settlements)
    },
    ping: () => storage.ping(),
    fsync: settings.journalFsync,
    onTrouble: (error, waiting) => log.trouble(`${waiting} settlements wait for the database`, error),
  })
  const close = async () => {
    await journal.close()
    await storage.close()
    folder.release()
  }
  return { secrets, access, storage, journal, metrics, close }
}

/** The database under the server secret, and the key for fingerprints that it keeps whatever that secret becomes. */
async function openKeptSecrets({ serverSecret, databaseUrl }: Settings, folder: DataFolder) {
  const secret = findServerSecret(serverSecret, folder)
  const sealer = createSealer(secret)
  const storage = await openStorage({ databaseUrl, dataFolder: folder.path, secrets: sealer })
  try {
    const fingerprintKey = await storage.keepFingerprintKey(firstFingerprintKey(secret))
    return { storage, secrets: createSecretKeeper(secret, fingerprintKey) }
  } catch (error) {
    await storage.close()
    folder.release()
    throw error
  }
}

/**
 * Reads the books, starts serving, and makes what a first start makes; of several nodes that start together, one after
 * the other. Secrets come last: a start that fails has shown nobody what it made, and no later start would.
 */
async function open(settings: Settings, surroundings: Surroundings, vault: Vault) {
  const books = await openBooks(settings, surroundings, vault)
  const { applySupplyText } = books
  const supplyFile =
    settings.supplyFile &&
    openSupplyFile(settings.supplyFile, { apply: applySupplyText, log: surroundings.log })
  // Before the sandbox, which makes way when the file names real suppliers.
  await supplyFile?.apply()
  // After the file, which says more about a supplier than a key alone does.
  await registerVendorKeys(books.operations, settings.vendorKeys, surroundings.log)
  const sandbox = await openSandbox(settings.sandbox, books.operations)
  const serving = serve(settings, surroundings, books)
  const newKey = await makeFirstAccount(books.operations, settings.bootstrapKey)
  vault.access.keep()
  return { books, supplyFile, sandbox, serving, newKey }
}

function serve(settings: Settings, surroundings: Surroundings, books: Books) {
  const { clock, log } = surroundings
  const { storage, access, secrets } = books
  const gateway = buildGateway(settings, surroundings, books)
  const isOperator = operatorCheck(access.fingerprint, secrets.fingerprint)
  const watch = { isClosing: false }
  const readGauges = () => ({
    liveStreams: gateway.streams.size,
    journalWaiting: books.journal.waiting,
  })
  const endpoints = withApiDocs([
    ...clientEndpoints(gateway),
    ...operatorEndpoints(books.operations, {
      isOperator,
      clock,
      applySupplyText: books.applySupplyText,
      diagnostics: createDiagnostics({
        ...gateway,
        catalog: BUILT_IN_CATALOG,
        patienceMs: DOCTOR_PATIENCE_MS,
      }),
    }),
    paymentWebhookEndpoint(books.operations, { secret: settings.paymentWebhookSecret, clock }),
    metricsEndpoint(books.metrics, { isOperator, readGauges }),
    ...healthEndpoints({ storage, isClosing: () => watch.isClosing }),
  ])
  const server = startServer({
    hostname: settings.hostname,
    port: settings.port,
    endpoints,
    bodyLimits: { maxBytes: settings.maxBodyBytes, timeoutMs: settings.bodyTimeoutSeconds * 1_000 },
    clock,
    log: countingRequests(log, books.metrics),
  })
  return { gateway, endpoints, server, watch }
}

type Books = Awaited<ReturnType<typeof openBooks>>

/** Configuration and money as they stand in the vault, and the operations that change them. */
async function openBooks(settings: Settings, { clock, random }: Surroundings, vault: Vault) {
  const { storage, journal, secrets } = vault
  const admissions = await loadAdmissions(storage, clock)
  const configuration = createLiveConfiguration(buildSnapshot(await storage.loadConfiguration()))
  const router = new Router({ clock, random })
  const operations = createOperations({
    storage,
    catchUp: () => journal.catchUp(),
    configuration,
    money: admissions,
    capacity: { remaining: (credential) => remainingCapacity(admissions, credential) },
    routing: router,
    clock,
    secrets,
    random: systemRandom,
    tierGraceMs: settings.tierDowngrade === 'on' ? settings.tierGraceDays * DAY_MS : null,
    supplierTypes: SUPPLIER_TYPES_SERVED,
    formats: FORMATS,
  })
  const applySupplyText = createTextApplication(operations)
  return { ...vault, admissions, configuration, router, operations, applySupplyText }
}

function buildGateway(settings: Settings, { clock, random, log }: Surroundings, books: Books): Gateway {
  return {
    snapshot: books.configuration.current,
    secrets: books.secrets,
    admissions: books.admissions,
    journal: books.journal,
    callSupplier: new SupplierClient(clock, settings).call,
    callTools: { clock, tokens: new AccessTokens(clock), call: (request) => fetch(request) },
    router: books.router,
    onCredentialRefused: (ids) => disableCredential(ids, books.operations, log),
    streams: new LiveStreams(),
    thinking: new ThinkingMemory(clock),
    learned: new LearnedParameters(clock),
    replies: books.storage,
    fetchImage,
    newId: (prefix) => prefix + crypto.randomUUID().replaceAll('-', ''),
    timeouts: {
      connectMs: settings.connectTimeoutSeconds * 1_000,
      deadlineMs: settings.requestDeadlineSeconds * 1_000,
      firstByteMs: settings.firstByteTimeoutSeconds * 1_000,
      idleMs: settings.idleTimeoutSeconds * 1_000,
      heartbeatMs: settings.heartbeatSeconds * 1_000,
    },
    clock,
    random,
    log,
  }
}

/** A supplier that refuses a credential will refuse it again: only an operator can say when it is good. */
function disableCredential(
  { supplierId, credentialId }: { readonly supplierId: string; readonly credentialId: string },
  operations: LocalOperations,
  log: Log,
): void {
  log.notice('a credential was refused and is disabled', { supplierId, credentialId })
  operations.changeCredential(credentialId, { state: 'disabled' }, ROUTING_ACTOR).catch((error) => {
    log.trouble(`credential ${credentialId} could not be disabled`, error)
  })
}

const ROUTING_ACTOR = 'routing'

/** Lets what is under way finish up to the deadline, then ends the rest with the family's own error. */
async function drain(server: HttpServer, streams: LiveStreams, deadlineMs: number): Promise<void> {
  server.stopAccepting()
  await waitUntil(() => server.pending === 0, deadlineMs)
  streams.failAll(new GatewayError('shutting_down', 'This gateway is shutting down.'))
  server.endWaiting()
  await waitUntil(() => server.pending === 0, FAREWELL_MS)
  await server.close()
}

// After the last streams were told, their error events still have to leave.
const FAREWELL_MS = 200
const POLL_MS = 20

async function waitUntil(isReached: () => boolean, deadlineMs: number): Promise<void> {
  const endMs = performance.now() + deadlineMs
  while (!isReached() && performance.now() < endMs) await Bun.sleep(POLL_MS)
}

/** Deletes kept replies whose time is over. */
async function sweepReplies(storage: Storage, { clock, log }: Surroundings): Promise<void> {
  try {
    while ((await storage.deleteExpiredReplies(clock.nowMs(), SWEEP_PORTION)) === SWEEP_PORTION);
  } catch (error) {
    log.trouble('old replies could not be deleted', error)
  }
}

async function loadAdmissions(storage: Storage, clock: Clock): Promise<MemoryAdmissions> {
  const admissions = new MemoryAdmissions(clock, await storage.loadBalances())
  const spends = await storage.loadDailySpends(null)
  for (const [keyId, ofKey] of Map.groupBy(spends, (spend) => spend.keyId))
    admissions.loadKeySpend(keyId, ofKey)
  return admissions
}

function remainingCapacity(admissions: Admissions, credential: Credential) {
  const windows: WindowDemand[] = []
  addCapacity(windows, credentialCapacity(credential, 0))
  const readings = admissions.read(windows)
  const left = (metric: string) => readings.find((reading) => reading.metric === metric)?.remaining ?? null
  return { requests: left('requests'), tokens: left('tokens') }
}

async function openSandbox(mode: Settings['sandbox'], operations: LocalOperations): Promise<Sandbox | null> {
  if (mode === 'off' || (mode === 'auto' && hasOtherSuppliers(operations))) {
    await retireSandbox(operations)
    return null
  }
  const sandbox = startSandbox()
  await registerSandbox(operations, `${sandbox.url}/v1`)
  return sandbox
}
