import { Alert, Delivery, LASTING_ALERT_KINDS, Webhook } from '../../../../vocabulary/alert.ts'
import { text } from '../../../../vocabulary/field.ts'
import { readPage } from '../../cursor.ts'
import { allOf, given, queryOn } from '../../query.ts'
import type { StoreMethods } from '../../store.ts'
import { tableOf } from '../../table.ts'
import { withEvent } from '../supply/audit-events.ts'
import { SEALED_COLUMNS } from '../supply/sealed-columns.ts'
import { tellChannels } from './channels.ts'

const { state: delivery, ...rest } = Delivery.fields
const ALERTS = tableOf('alerts', Alert.with('DueAlert', { delivery, ...rest }), { key: ['id'] })
const SealedWebhook = Webhook.without('SealedWebhook', ['secret']).with('SealedWebhook', {
  sealedSecret: text(),
})
const WEBHOOKS = tableOf('alert_webhooks', SealedWebhook, { key: ['account_id'] })

/** Alerts and their deliveries. */
export const alertStore = {
  // It is due immediately when its account has a webhook.
  raiseAlert: ({ database }, alert, event) =>
    withEvent(database, event, async (tx) => {
      const { accountId, atMs } = alert
      const isTold = accountId !== null && (await WEBHOOKS.find(tx, { accountId, enabled: true })) !== null
      const due = { delivery: isTold ? 'pending' : 'none', dueAtMs: isTold ? atMs : null } as const
      const isNew = await ALERTS.insert(tx, { ...alert, ...due, tries: 0, lastFailure: null }, ['occasion'])
      if (isNew) await tellChannels(tx, alert, { status: 'raised', atMs })
      return isNew
    }),
  endOccasion: ({ database }, occasion, atMs) =>
    database.transaction(async (tx) => {
      const [ended] = await ALERTS.list(tx, { occasion })
      // Of several processes that notice the end, one tells of it.
      if ((await ALERTS.change(tx, { occasion }, { occasion: null })) === 0 || ended === undefined) return
      await tellChannels(tx, ended, { status: 'resolved', atMs })
    }),
  loadLowBalances: async ({ database }) => {
    const rows = await queryOn(database)
      .selectFrom('alerts')
      .select('account_id')
      .where('kind', '=', 'balance.low')
      .where('occasion', 'is not', null)
      .where('account_id', 'is not', null)
      .$narrowType<{ account_id: string }>()
      .execute()
    return rows.map((row) => row.account_id)
  },
  loadOpenOccasions: async ({ database }, kind) => {
    const rows = await queryOn(database)
      .selectFrom('alerts')
      .select('occasion')
      .where('kind', '=', kind)
      .where('occasion', 'is not', null)
      .$narrowType<{ occasion: string }>()
      .execute()
    return rows.map((row) => row.occasion)
  },
  listAlerts: ({ database }, { accountId, kind, isOpen }, page) => {
    const query = queryOn(database)
      .selectFrom('alerts')
      .select([...Alert.columns, 'delivery as state', 'tries', 'due_at_ms', 'last_failure'])
      .where(
        allOf(
          given<'alerts'>([
            ['account_id', '=', accountId],
            ['kind', '=', kind],
          ]),
        ),
      )
      .$if(isOpen !== undefined, (all) =>
        all
          .where('kind', 'in', LASTING_ALERT_KINDS)
          .where('occasion', isOpen === true ? 'is not' : 'is', null),
      )
    return readPage(query, page, {
      decode: (row) => ({ ...Alert.fromRow(row), delivery: Delivery.fromRow(row) }),
    })
  },

  loadDueDeliveries: async ({ database }, nowMs, atMost) => {
    const rows = await queryOn(database)
      .selectFrom('alerts')
      .select([...Alert.columns, 'tries'])
      .where('delivery', '=', 'pending')
      .where('due_at_ms', '<=', BigInt(nowMs))
      .orderBy('due_at_ms')
      .orderBy('id')
      .limit(BigInt(atMost))
      .execute()
    return rows.map((row) => ({ alert: Alert.fromRow(row), tries: Number(row.tries) }))
  },
  // The process that first raises the number of tries gets the delivery.
  claimDelivery: async ({ database }, { alert, tries }, untilMs) => {
    const unclaimed = { id: alert.id, tries, delivery: 'pending' } as const
    return (await ALERTS.change(database, unclaimed, { tries: tries + 1, dueAtMs: untilMs })) > 0
  },
  endDelivery: async ({ database }, { alert, tries }, end) => {
    const claimed = { id: alert.id, tries: tries + 1, delivery: 'pending' } as const
    await ALERTS.change(database, claimed, {
      delivery: end.state,
      dueAtMs: end.state === 'pending' ? end.dueAtMs : null,
      lastFailure: end.state === 'delivered' ? null : end.failure,
    })
  },

  saveWebhook: ({ database, secrets }, webhook, event) =>
    withEvent(database, event, (tx) => {
      const sealedSecret = secrets.seal(webhook.secret, { ...SEALED_COLUMNS.webhooks, id: webhook.accountId })
      return WEBHOOKS.save(tx, { ...webhook, sealedSecret })
    }),
  findWebhook: async ({ database, secrets }, accountId) => {
    const found = await WEBHOOKS.find(database, { accountId })
    if (found === null) return null
    const { sealedSecret, ...webhook } = found
    return { ...webhook, secret: secrets.open(sealedSecret, { ...SEALED_COLUMNS.webhooks, id: accountId }) }
  },
  deleteWebhook: ({ database }, accountId, event) =>
    withEvent(database, event, async (tx) => {
      await WEBHOOKS.remove(tx, { accountId })
    }),
} satisfies Partial<StoreMethods>
