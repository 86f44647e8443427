import type { DeliveryEnd, DueDelivery } from '../../../../gateway/ports/alerts.ts'
import type { Listing, Page } from '../../../../gateway/ports/storage.ts'
import type { SealedPlace, Sealer } from '../../../../rules/access/server-secret.ts'
import { Alert, type AlertFilter, type AlertRecord, Delivery, Webhook } from '../../../../vocabulary/alert.ts'
import { readPage } from '../../cursor.ts'
import type { Database } from '../../database.ts'
import { queryOn, upsert } from '../../query.ts'

/** Whether this is the first alert of its occasion. It is due at once when its account has a webhook. */
export async function insertAlert(tx: Database, alert: Alert): Promise<boolean> {
  const row = Alert.toRow(alert)
  const isTold = alert.accountId !== null && (await hasWebhook(tx, alert.accountId))
  const rows = await queryOn(tx)
    .insertInto('alerts')
    .values({ ...row, delivery: isTold ? 'pending' : 'none', due_at_ms: isTold ? row.at_ms : null })
    .onConflict((conflict) => conflict.column('occasion').doNothing())
    .returning('id')
    .execute()
  return rows.length > 0
}

async function hasWebhook(tx: Database, accountId: string): Promise<boolean> {
  const rows = await queryOn(tx)
    .selectFrom('alert_webhooks')
    .select('account_id')
    .where('account_id', '=', accountId)
    .where('enabled', '=', 1n)
    .execute()
  return rows.length > 0
}

export async function endOccasion(database: Database, occasion: string): Promise<void> {
  await queryOn(database)
    .updateTable('alerts')
    .set({ occasion: null })
    .where('occasion', '=', occasion)
    .execute()
}

export async function loadLowBalances(database: Database): Promise<string[]> {
  const rows = await queryOn(database)
    .selectFrom('alerts')
    .select('account_id')
    .where('kind', '=', 'balance.low')
    .where('occasion', 'is not', null)
    .where('account_id', 'is not', null)
    .$narrowType<{ account_id: string }>()
    .execute()
  return rows.map((row) => row.account_id)
}

export function listAlerts(
  database: Database,
  { accountId }: AlertFilter,
  page: Page,
): Promise<Listing<AlertRecord>> {
  const query = queryOn(database)
    .selectFrom('alerts')
    .select([...Alert.columns, 'delivery as state', 'tries', 'due_at_ms', 'last_failure'])
    .$if(accountId !== undefined, (all) => all.where('account_id', '=', accountId ?? null))
  return readPage(query, page, {
    decode: (row) => ({ ...Alert.fromRow(row), delivery: Delivery.fromRow(row) }),
  })
}

export async function loadDueDeliveries(
  database: Database,
  nowMs: number,
  atMost: number,
): Promise<DueDelivery[]> {
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
}

/** The number of tries is what is compared: whoever raises it first has the claim. */
export async function claimDelivery(
  database: Database,
  { alert, tries }: DueDelivery,
  untilMs: number,
): Promise<boolean> {
  const rows = await queryOn(database)
    .updateTable('alerts')
    .set({ tries: BigInt(tries + 1), due_at_ms: BigInt(untilMs) })
    .where('id', '=', alert.id)
    .where('tries', '=', BigInt(tries))
    .where('delivery', '=', 'pending')
    .returning('id')
    .execute()
  return rows.length > 0
}

export async function endDelivery(
  database: Database,
  { alert, tries }: DueDelivery,
  end: DeliveryEnd,
): Promise<void> {
  await queryOn(database)
    .updateTable('alerts')
    .set({
      delivery: end.state,
      due_at_ms: end.state === 'pending' ? BigInt(end.dueAtMs) : null,
      last_failure: end.state === 'delivered' ? null : end.failure,
    })
    .where('id', '=', alert.id)
    .where('tries', '=', BigInt(tries + 1))
    .where('delivery', '=', 'pending')
    .execute()
}

function placeOf(accountId: string): SealedPlace {
  return { table: 'alert_webhooks', column: 'sealed_secret', id: accountId }
}

export function saveWebhook(tx: Database, webhook: Webhook, secrets: Sealer): Promise<void> {
  const { secret, ...row } = Webhook.toRow(webhook)
  const sealed_secret = secrets.seal(secret, placeOf(webhook.accountId))
  return upsert(tx, { table: 'alert_webhooks', key: ['account_id'] }, { ...row, sealed_secret })
}

export async function findWebhook(
  database: Database,
  accountId: string,
  secrets: Sealer,
): Promise<Webhook | null> {
  const [row] = await queryOn(database)
    .selectFrom('alert_webhooks')
    .select(['account_id', 'url', 'enabled', 'sealed_secret', 'created_at_ms'])
    .where('account_id', '=', accountId)
    .execute()
  if (row === undefined) return null
  return Webhook.fromRow({ ...row, secret: secrets.open(row.sealed_secret, placeOf(accountId)) })
}

export async function deleteWebhook(tx: Database, accountId: string): Promise<void> {
  await queryOn(tx).deleteFrom('alert_webhooks').where('account_id', '=', accountId).execute()
}
