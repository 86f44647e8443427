import type { BodyStorage, KeptBody } from '../../../gateway/ports/console.ts'
import type { SealedPlace, Sealer } from '../../../rules/access/server-secret.ts'
import type { Database } from '../database.ts'
import { upsertRow } from '../statements.ts'

const BODY_STORAGE = { name: 'body_storage', key: ['account_id'] }
const KEPT_BODIES = { name: 'kept_bodies', key: ['account_id', 'request_id'] }

function placeOf({ accountId, requestId }: Pick<KeptBody, 'accountId' | 'requestId'>): SealedPlace {
  return { table: 'kept_bodies', column: 'sealed_content', id: [accountId, requestId] }
}

/** What a client said and was told is nobody else's to read, not even in a copy of the database. */
type Content = Pick<KeptBody, 'request' | 'response' | 'isRequestCut' | 'isResponseCut'>

export async function loadBodyStorage(database: Database): Promise<BodyStorage[]> {
  const rows = await database.rows<{ account_id: string; is_enabled: bigint; days: bigint }>(
    'select account_id, is_enabled, days from body_storage',
    [],
  )
  return rows.map(({ account_id, is_enabled, days }) => ({
    accountId: account_id,
    enabled: is_enabled === 1n,
    days: Number(days),
  }))
}

export function saveBodyStorage(tx: Database, { accountId, enabled, days }: BodyStorage): Promise<void> {
  return upsertRow(tx, BODY_STORAGE, { account_id: accountId, is_enabled: BigInt(enabled), days })
}

export function saveBody(database: Database, body: KeptBody, secrets: Sealer): Promise<void> {
  const { request, response, isRequestCut, isResponseCut } = body
  const content: Content = { request, response, isRequestCut, isResponseCut }
  return upsertRow(database, KEPT_BODIES, {
    account_id: body.accountId,
    request_id: body.requestId,
    created_at_ms: BigInt(Math.round(body.createdAtMs)),
    sealed_content: secrets.seal(JSON.stringify(content), placeOf(body)),
  })
}

export async function findBody(
  database: Database,
  wanted: Pick<KeptBody, 'accountId' | 'requestId'> & { readonly sinceMs: number },
  secrets: Sealer,
): Promise<KeptBody | null> {
  const { accountId, requestId } = wanted
  const [row] = await database.rows<{ created_at_ms: bigint; sealed_content: string }>(
    `select created_at_ms, sealed_content from kept_bodies
    where account_id = $1 and request_id = $2 and created_at_ms >= $3`,
    [accountId, requestId, BigInt(wanted.sinceMs)],
  )
  if (row === undefined) return null
  const content: Content = JSON.parse(secrets.open(row.sealed_content, placeOf(wanted)))
  return { accountId, requestId, createdAtMs: Number(row.created_at_ms), ...content }
}

/** In small portions, so that no other write waits long. */
export async function deleteBodies(
  database: Database,
  { accountId, beforeMs }: { readonly accountId: string; readonly beforeMs: number },
  atMost: number,
): Promise<number> {
  const deleted = await database.rows(
    `delete from kept_bodies where (account_id, request_id) in (
      select account_id, request_id from kept_bodies where account_id = $1 and created_at_ms < $2 limit $3
    ) returning request_id`,
    [accountId, BigInt(beforeMs), BigInt(atMost)],
  )
  return deleted.length
}
