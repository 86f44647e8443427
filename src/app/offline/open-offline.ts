import { startServer } from '../../edges/http-server/serve.ts'
import { operatorEndpoints } from '../../edges/management-api/operator/index.ts'
import type { Settings } from '../../edges/settings/settings.ts'
import { type NodeStorage, openStorage, SealingTransition } from '../../edges/storage/index.ts'
import { createTextApplication } from '../../edges/supply-file/apply-text.ts'
import { MemoryAdmissions } from '../../edges/windows/memory-admissions.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { createIdentity } from '../../manage/identity/index.ts'
import { createOperations } from '../../manage/operations/index.ts'
import type { LocalOperations } from '../../manage/operations/parts.ts'
import { systemRandom } from '../../manage/operations/random-source.ts'
import {
  createSealer,
  createSecretKeeper,
  firstFingerprintKey,
  type SecretKeeper,
} from '../../rules/access/server-secret.ts'
import { buildSnapshot } from '../../rules/catalog/build-snapshot.ts'
import { Router } from '../../rules/routing/router.ts'
import { createLiveConfiguration } from '../../serve/configuration/live-configuration.ts'
import type { LiveConfiguration } from '../../serve/ports/configuration.ts'
import type { Log } from '../../serve/ports/log.ts'
import { SUPPLIER_TYPES_SERVED } from '../../suppliers/index.ts'
import { SYSTEM_CLOCK } from '../../vocabulary/clock.ts'
import { FORMATS } from '../../vocabulary/words.ts'

/** The database of a gateway, opened beside it or while it is down. */
export interface OfflineDatabase {
  readonly storage: NodeStorage
  readonly secrets: SecretKeeper
  close(): Promise<void>
}

export async function openOfflineDatabase(settings: Settings, secret: string): Promise<OfflineDatabase> {
  const { databaseUrl, dataFolder } = settings
  // Others may use the database, so nothing is bound to its rows here.
  const sealing = new SealingTransition(false)
  const sealer = createSealer(secret, sealing)
  const place = { databaseUrl, dataFolder, survivesPowerCut: true }
  const storage = await openStorage({ ...place, secrets: sealer, sealing })
  try {
    const fingerprintKey = await storage.keepFingerprintKey(firstFingerprintKey(secret))
    return { storage, secrets: createSecretKeeper(secret, fingerprintKey), close: () => storage.close() }
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** The operator API on a port of this machine, for one command. */
export interface OfflineApi {
  readonly url: string
  readonly token: string
  close(): Promise<void>
}

/** Serves what operators can do, by the same code as in a gateway, to whoever has the token: nobody but the caller. */
export async function startOfflineApi(settings: Settings, database: OfflineDatabase): Promise<OfflineApi> {
  const { storage, secrets } = database
  const first = buildSnapshot(await storage.loadConfiguration())
  const configuration: LiveConfiguration = createLiveConfiguration(first, {
    storage,
    newestVersion: async () => configuration.current().version,
  })
  const admissions = new MemoryAdmissions(SYSTEM_CLOCK, await storage.loadBalances())
  const operations = openOperations(settings, database, { configuration, admissions })
  const { users } = createIdentity({
    store: storage,
    secrets,
    accounts: {
      has: (id) => configuration.current().accounts.has(id),
      nameOf: (id) => configuration.current().accounts.get(id)?.name ?? null,
      create: async (input, actor) => (await operations.createAccount(input, actor)).id,
    },
    provider: null,
    random: { id: systemRandom.id, bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) },
    clock: SYSTEM_CLOCK,
    log: SILENT,
    allowsSignUp: false,
    publicUrl: null,
    mail: null,
  })
  const token = systemRandom.secret()
  const server = startServer({
    hostname: '127.0.0.1',
    port: 0,
    endpoints: operatorEndpoints(operations, {
      isOperator: (headers) => headers.get('authorization') === `Bearer ${token}`,
      clock: SYSTEM_CLOCK,
      applySupplyText: createTextApplication(operations),
      diagnostics: {
        examineSupply: needsGateway,
        examineOwn: needsGateway,
        examinePlatform: needsGateway,
        compareModels: needsGateway,
      },
      users,
    }),
    bodyLimits: { maxBytes: settings.maxBodyBytes, timeoutMs: settings.bodyTimeoutSeconds * 1_000 },
    clock: SYSTEM_CLOCK,
    log: SILENT,
  })
  return { url: server.url, token, close: () => server.close() }
}

function openOperations(
  settings: Settings,
  { storage, secrets }: OfflineDatabase,
  { configuration, admissions }: { configuration: LiveConfiguration; admissions: MemoryAdmissions },
): LocalOperations {
  return createOperations({
    storage,
    catchUp: () => Promise.resolve(),
    configuration,
    money: admissions,
    capacity: { remaining: ({ rpm, tpm }) => ({ requests: rpm, tokens: tpm }) },
    routing: new Router({ clock: SYSTEM_CLOCK, random: Math.random }),
    clock: SYSTEM_CLOCK,
    secrets,
    random: systemRandom,
    allowsPrivateWebhooks: settings.webhookAllowPrivate === 'on',
    tierGraceMs: null,
    loadPriceList: async () => (await import('../../edges/price-list/index.ts')).priceList,
    supplierTypes: SUPPLIER_TYPES_SERVED,
    formats: FORMATS,
  })
}

const SILENT: Log = { request() {}, attemptFailed() {}, notice() {}, trouble() {} }

async function needsGateway(): Promise<never> {
  throw new GatewayError('invalid_request', 'This needs a running gateway.')
}
