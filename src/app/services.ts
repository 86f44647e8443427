import { readJournal } from '../edges/journal/read-journal.ts'
import type { Settings } from '../edges/settings/settings.ts'
import { createTextApplication } from '../edges/supply-file/apply-text.ts'
import { watchMoney } from '../manage/alerts/alert-watch.ts'
import { BodyKeeping } from '../manage/console/body-keeping.ts'
import { createOperations } from '../manage/operations/index.ts'
import { systemRandom } from '../manage/operations/random-source.ts'
import { openModelCatalog } from '../manage/prices/model-catalog.ts'
import { RefusalKeeping } from '../manage/refusals/refusal-keeping.ts'
import { buildSnapshot } from '../rules/catalog/build-snapshot.ts'
import { Router } from '../rules/routing/router.ts'
import { addCapacity, credentialCapacity } from '../serve/admission/capacity.ts'
import { createLiveConfiguration } from '../serve/configuration/live-configuration.ts'
import type { Admissions, WindowDemand } from '../serve/ports/admissions.ts'
import type { LiveConfiguration } from '../serve/ports/configuration.ts'
import { SUPPLIER_TYPES_SERVED } from '../suppliers/index.ts'
import type { Credential } from '../vocabulary/supply.ts'
import { FORMATS } from '../vocabulary/words.ts'
import { openAlerting } from './alerting.ts'
import { type Cluster, joinSharedLimits, loadAdmissions, sharingOf } from './cluster.ts'
import type { Membership } from './membership.ts'
import type { Persistence } from './persistence.ts'
import { followOthers, routingPublisher } from './shared-memory.ts'
import type { SystemServices } from './system-services.ts'
import { supplierLabel } from './telemetry/supply-gauges.ts'
import type { Role } from './workers/role.ts'

export type Services = Awaited<ReturnType<typeof openServices>>

/** Opens the configuration, limits, balances and alerts, and the operations that change them. */
export async function openServices(
  settings: Settings,
  system: SystemServices,
  persistence: Persistence & { readonly role: Role | null },
) {
  const { clock, random } = system
  const { storage, journal, secrets, stored, membership, metrics } = persistence
  const bodies = new BodyKeeping({ ...system, storage }, await storage.loadBodyStorage())
  const refusedRequests = new RefusalKeeping({ ...system, storage })
  const configuration = await openConfiguration(membership, persistence, bodies)
  const router = new Router({ clock, random, publish: routingPublisher(membership, configuration.current) })
  configuration.onReplaced((_, { supply }) => router.keepOnly(supply))
  metrics.labelSuppliers((id) => supplierLabel(configuration.current().supply, id))
  const parts = { settings, system, configuration, router }
  const shared = await joinSharedLimits(membership, persistence, parts)
  const admissions: Admissions = shared ?? (await loadAdmissions(persistence, system))
  await followOthers(membership, { configuration, router })
  const alerting = await openAlerting(settings, system, {
    ...persistence,
    configuration,
    router,
    admissions,
  })
  const { alerts } = alerting
  stored.listen(async (settlements, balances) => {
    if (shared === null) return
    await shared.noteStored(settlements, balances)
    alerts.watch.noteStored(settlements)
  })
  const loadPriceList = async () => (await import('../edges/price-list/index.ts')).priceList
  const catalog = await openModelCatalog({ configuration, loadPriceList, clock })
  const operations = createOperations({
    storage,
    catchUp: async () => {
      await journal.catchUp()
      await alerts.raise()
    },
    flushRefusals: () => refusedRequests.flush(),
    readJournal: () => readJournal(persistence.journalFolder),
    configuration,
    money: watchMoney(admissions, alerts.watch),
    capacity: { remaining: (credential) => remainingCapacity(admissions, credential) },
    routing: router,
    clock,
    secrets,
    random: systemRandom,
    allowsPrivateWebhooks: settings.webhookAllowPrivate === 'on',
    currencyName: settings.currencyName,
    receiptText: settings.receiptText,
    testChannel: alerting.testChannel,
    hasBucketKeys: settings.bucketAccess !== null,
    tierGraceMs: settings.tierDowngrade === 'on' ? settings.tierGraceDays * DAY_MS : null,
    loadPriceList,
    supplierTypes: SUPPLIER_TYPES_SERVED,
    formats: FORMATS,
  })
  const applySupplyText = createTextApplication(operations)
  const cluster: Cluster = { ...membership, admissions: shared }
  const opened = { admissions, configuration, router, operations, applySupplyText, bodies, refusedRequests }
  return { ...persistence, ...opened, ...alerting, catalog, cluster, loadPriceList }
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** The stored configuration and body storage settings, kept in step with changes of other nodes. */
async function openConfiguration(
  membership: Membership,
  persistence: Persistence,
  bodies: BodyKeeping,
): Promise<LiveConfiguration> {
  const { storage, events } = persistence
  const first = buildSnapshot(await storage.loadConfiguration())
  const reloadBeside = async () => {
    for (const setting of await storage.loadBodyStorage()) bodies.set(setting)
  }
  const current = () => configuration.current()
  const sharing = sharingOf(membership, persistence, { reloadBeside, current })
  const configuration: LiveConfiguration = events.watching(createLiveConfiguration(first, sharing))
  return configuration
}

export function remainingCapacity(admissions: Admissions, credential: Credential) {
  const windows: WindowDemand[] = []
  addCapacity(windows, credentialCapacity(credential, 0))
  const readings = admissions.read(windows)
  const left = (metric: string) => readings.find((reading) => reading.metric === metric)?.remaining ?? null
  return { requests: left('requests'), tokens: left('tokens') }
}
