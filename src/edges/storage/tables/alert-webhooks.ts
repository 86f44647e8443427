import type { SealedPlace, Sealer } from '../../../rules/access/server-secret.ts'
import type { Webhook } from '../../../rules/alerts/alert.ts'
import type { Database } from '../database.ts'
import { upsertRow } from '../statements.ts'

interface WebhookRow {
  readonly url: string
  readonly enabled: bigint
  readonly sealed_secret: string
  readonly created_at_ms: bigint
}

const WEBHOOKS = { name: 'alert_webhooks', key: ['account_id'] }

function placeOf(accountId: string): SealedPlace {
  return { table: 'alert_webhooks', column: 'sealed_secret', id: accountId }
}

export function saveWebhook(tx: Database, webhook: Webhook, secrets: Sealer): Promise<void> {
  return upsertRow(tx, WEBHOOKS, {
    account_id: webhook.accountId,
    url: webhook.url,
    enabled: webhook.enabled ? 1n : 0n,
    sealed_secret: secrets.seal(webhook.secret, placeOf(webhook.accountId)),
    created_at_ms: BigInt(webhook.createdAtMs),
  })
}

export async function findWebhook(
  database: Database,
  accountId: string,
  secrets: Sealer,
): Promise<Webhook | null> {
  const [row] = await database.rows<WebhookRow>(
    'select url, enabled, sealed_secret, created_at_ms from alert_webhooks where account_id = $1',
    [accountId],
  )
  if (row === undefined) return null
  return {
    accountId,
    url: row.url,
    enabled: row.enabled === 1n,
    secret: secrets.open(row.sealed_secret, placeOf(accountId)),
    createdAtMs: Number(row.created_at_ms),
  }
}

export async function deleteWebhook(tx: Database, accountId: string): Promise<void> {
  await tx.rows('delete from alert_webhooks where account_id = $1', [accountId])
}
