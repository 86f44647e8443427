import type { AlertStore } from '../../gateway/ports/alerts.ts'
import type { Sealer } from '../../rules/access/server-secret.ts'
import type { Database } from './database.ts'
import {
  claimDelivery,
  deleteWebhook,
  endDelivery,
  endOccasion,
  findWebhook,
  insertAlert,
  listAlerts,
  loadDueDeliveries,
  loadLowBalances,
  saveWebhook,
} from './tables/accounts/alerts.ts'
import { writeAuditEvent } from './tables/supply/audit-events.ts'

/** What was worth telling, to whom, and what became of it. */
export function alertStorageOn(database: Database, secrets: Sealer): AlertStore {
  return {
    raiseAlert: (alert, event) =>
      database.transaction(async (tx) => {
        const isNew = await insertAlert(tx, alert)
        if (isNew) await writeAuditEvent(tx, event)
        return isNew
      }),
    endOccasion: (occasion) => endOccasion(database, occasion),
    loadLowBalances: () => loadLowBalances(database),
    listAlerts: async (filter, page) => listAlerts(database, filter, page),

    loadDueDeliveries: (nowMs, atMost) => loadDueDeliveries(database, nowMs, atMost),
    claimDelivery: (due, untilMs) => claimDelivery(database, due, untilMs),
    endDelivery: (due, end) => endDelivery(database, due, end),

    saveWebhook: (webhook, event) =>
      database.transaction(async (tx) => {
        await saveWebhook(tx, webhook, secrets)
        await writeAuditEvent(tx, event)
      }),
    findWebhook: (accountId) => findWebhook(database, accountId, secrets),
    deleteWebhook: (accountId, event) =>
      database.transaction(async (tx) => {
        await deleteWebhook(tx, accountId)
        await writeAuditEvent(tx, event)
      }),
  }
}
