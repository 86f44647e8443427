import { createWebhookSender, webhookRules } from './edges/alert-webhook/send-webhook.ts'
import { readJournal } from './edges/journal/read-journal.ts'
import type { Settings } from './edges/settings/settings.ts'
import { createTextApplication } from './edges/supply-file/apply-text.ts'
import { MemoryAdmissions } from './edges/windows/memory-admissions.ts'
import { openAlerts } from './gateway/alerts/alerts.ts'
import { watchMoney } from './gateway/alerts/watch-money.ts'
import { addCapacity, credentialCapacity } from './gateway/capacity.ts'
import { BodyKeeping } from './gateway/console/body-keeping.ts'
import { createLiveConfiguration } from './gateway/live-configuration.ts'
import { createOperations } from './gateway/operate/index.ts'
import { systemRandom } from './gateway/operate/random-source.ts'
import type { Admissions, WindowDemand } from './gateway/ports/admissions.ts'
import type { Storage } from './gateway/ports/storage.ts'
import { buildSnapshot } from './rules/catalog/build-snapshot.ts'
import { Router } from './rules/routing/router.ts'
import { SUPPLIER_TYPES_SERVED } from './suppliers/index.ts'
import type { Surroundings } from './surroundings.ts'
import type { Vault } from './vault.ts'
import type { Clock } from './vocabulary/clock.ts'
import { type Credential, FORMATS } from './vocabulary/supply.ts'

export type Books = Awaited<ReturnType<typeof openBooks>>

/** Configuration and money as they stand in the vault, and the operations that change them. */
export async function openBooks(settings: Settings, surroundings: Surroundings, vault: Vault) {
  const { clock, random } = surroundings
  const { storage, journal, secrets, events } = vault
  const admissions = await loadAdmissions(storage, clock)
  const configuration = events.watching(
    createLiveConfiguration(buildSnapshot(await storage.loadConfiguration())),
  )
  const bodies = new BodyKeeping({ ...surroundings, storage }, await storage.loadBodyStorage())
  const router = new Router({ clock, random })
  const allowsPrivateWebhooks = settings.webhookAllowPrivate === 'on'
  const send = createWebhookSender(webhookRules({ allowsPrivate: allowsPrivateWebhooks }))
  const alerts = await openAlerts({
    ...surroundings,
    snapshot: configuration.current,
    money: admissions,
    storage,
    send,
    onRaised: (alert) => events.noteAlert(alert),
    newId: systemRandom.id,
  })
  const operations = createOperations({
    storage,
    catchUp: async () => {
      await journal.catchUp()
      await alerts.raise()
    },
    readJournal: () => readJournal(vault.journalFolder),
    configuration,
    money: watchMoney(admissions, alerts.watch),
    capacity: { remaining: (credential) => remainingCapacity(admissions, credential) },
    routing: router,
    clock,
    secrets,
    random: systemRandom,
    allowsPrivateWebhooks,
    tierGraceMs: settings.tierDowngrade === 'on' ? settings.tierGraceDays * DAY_MS : null,
    supplierTypes: SUPPLIER_TYPES_SERVED,
    formats: FORMATS,
  })
  const applySupplyText = createTextApplication(operations)
  return { ...vault, admissions, configuration, router, alerts, operations, applySupplyText, bodies, send }
}

const DAY_MS = 24 * 60 * 60 * 1_000

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
