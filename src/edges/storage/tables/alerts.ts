import type { AlertFilter } from '../../../gateway/ports/alerts.ts'
import type { Listing, Page } from '../../../gateway/ports/storage.ts'
import type { Alert, AlertKind, AlertRecord, DeliveryState } from '../../../rules/alerts/alert.ts'
import { decodeInteger, toStoredJson } from '../columns.ts'
import { decodeCursor, pageOf } from '../cursor.ts'
import type { Database, Parameter } from '../database.ts'

export interface AlertRow {
  readonly id: string
  readonly kind: AlertKind
  readonly account_id: string | null
  readonly subject: string
  readonly occasion: string | null
  readonly at_ms: bigint
  readonly data: string
  readonly tries: bigint
}

interface AlertRecordRow extends AlertRow {
  readonly delivery: DeliveryState
  readonly due_at_ms: bigint | null
  readonly last_failure: string | null
}

export const ALERT_COLUMNS = 'id, kind, account_id, subject, occasion, at_ms, data, tries'

/** Whether this is the first alert of its occasion. It is due at once when its account has a webhook. */
export async function insertAlert(tx: Database, alert: Alert): Promise<boolean> {
  const isTold = alert.accountId !== null && (await hasWebhook(tx, alert.accountId))
  const rows = await tx.rows(
    `insert into alerts (id, kind, account_id, subject, occasion, at_ms, data, delivery, due_at_ms)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    on conflict (occasion) do nothing returning id`,
    [
      alert.id,
      alert.kind,
      alert.accountId,
      alert.subject,
      alert.occasion,
      BigInt(alert.atMs),
      toStoredJson(alert.data),
      isTold ? 'pending' : 'none',
      isTold ? BigInt(alert.atMs) : null,
    ],
  )
  return rows.length > 0
}

async function hasWebhook(tx: Database, accountId: string): Promise<boolean> {
  const rows = await tx.rows('select account_id from alert_webhooks where account_id = $1 and enabled = 1', [
    accountId,
  ])
  return rows.length > 0
}

export async function endOccasion(database: Database, occasion: string): Promise<void> {
  await database.rows('update alerts set occasion = null where occasion = $1', [occasion])
}

export async function loadLowBalances(database: Database): Promise<string[]> {
  const rows = await database.rows<{ account_id: string }>(
    `select account_id from alerts where kind = 'balance.low' and occasion is not null`,
    [],
  )
  return rows.map((row) => row.account_id)
}

export async function listAlerts(
  database: Database,
  { accountId }: AlertFilter,
  page: Page,
): Promise<Listing<AlertRecord>> {
  const parameters: Parameter[] = []
  const conditions: string[] = []
  const place = (value: Parameter) => `$${parameters.push(value)}`
  if (accountId !== undefined) conditions.push(`account_id = ${place(accountId)}`)
  if (page.cursor !== null) {
    const { atMs, id } = decodeCursor(page.cursor)
    conditions.push(`(at_ms, id) < (${place(BigInt(atMs))}, ${place(id)})`)
  }
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const rows = await database.rows<AlertRecordRow>(
    `select ${ALERT_COLUMNS}, delivery, due_at_ms, last_failure from alerts ${where}
    order by at_ms desc, id desc limit ${place(BigInt(page.limit + 1))}`,
    parameters,
  )
  return pageOf(rows.map(decodeRecord), page, ({ alert }) => ({ atMs: alert.atMs, id: alert.id }))
}

function decodeRecord(row: AlertRecordRow): AlertRecord {
  return {
    alert: decodeAlert(row),
    delivery: {
      state: row.delivery,
      tries: Number(row.tries),
      dueAtMs: decodeInteger(row.due_at_ms),
      lastFailure: row.last_failure,
    },
  }
}

export function decodeAlert(row: AlertRow): Alert {
  const data: Readonly<Record<string, unknown>> = JSON.parse(row.data)
  return {
    id: row.id,
    kind: row.kind,
    accountId: row.account_id,
    subject: row.subject,
    occasion: row.occasion,
    atMs: Number(row.at_ms),
    data,
  }
}
