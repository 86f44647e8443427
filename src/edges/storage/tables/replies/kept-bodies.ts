import type { SealedPlace, Sealer } from '../../../../rules/access/server-secret.ts'
import { BodyStorage, KeptBody, type KeptContent } from '../../../../vocabulary/kept-body.ts'
import type { Database } from '../../database.ts'
import { queryOn, upsert } from '../../query.ts'

type BodyKey = Pick<KeptBody, 'accountId' | 'requestId'>

function placeOf({ accountId, requestId }: BodyKey): SealedPlace {
  return { table: 'kept_bodies', column: 'sealed_content', id: [accountId, requestId] }
}

export async function loadBodyStorage(database: Database): Promise<BodyStorage[]> {
  const rows = await queryOn(database).selectFrom('body_storage').select(BodyStorage.columns).execute()
  return rows.map((row) => BodyStorage.fromRow(row))
}

export function saveBodyStorage(tx: Database, setting: BodyStorage): Promise<void> {
  return upsert(tx, { table: 'body_storage', key: ['account_id'] }, BodyStorage.toRow(setting))
}

const BodyRow = KeptBody.pick('BodyRow', ['accountId', 'requestId', 'createdAtMs'])

/** What a client said and was told is nobody else's to read, not even in a copy of the database. */
export function saveBody(database: Database, body: KeptBody, secrets: Sealer): Promise<void> {
  const { request, response, isRequestCut, isResponseCut } = body
  const content: KeptContent = { request, response, isRequestCut, isResponseCut }
  return upsert(
    database,
    { table: 'kept_bodies', key: ['account_id', 'request_id'] },
    {
      ...BodyRow.toRow({ ...body, createdAtMs: Math.round(body.createdAtMs) }),
      sealed_content: secrets.seal(JSON.stringify(content), placeOf(body)),
    },
  )
}

export async function findBody(
  database: Database,
  wanted: BodyKey & { readonly sinceMs: number },
  secrets: Sealer,
): Promise<KeptBody | null> {
  const row = await queryOn(database)
    .selectFrom('kept_bodies')
    .select([...BodyRow.columns, 'sealed_content'])
    .where('account_id', '=', wanted.accountId)
    .where('request_id', '=', wanted.requestId)
    .where('created_at_ms', '>=', BigInt(wanted.sinceMs))
    .executeTakeFirst()
  if (row === undefined) return null
  const content: KeptContent = JSON.parse(secrets.open(row.sealed_content, placeOf(wanted)))
  return { ...BodyRow.fromRow(row), ...content }
}

/** In small portions, so that no other write waits long. */
export async function deleteBodies(
  database: Database,
  { accountId, beforeMs }: { readonly accountId: string; readonly beforeMs: number },
  atMost: number,
): Promise<number> {
  const deleted = await queryOn(database)
    .deleteFrom('kept_bodies')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('account_id', 'request_id'),
        'in',
        selectFrom('kept_bodies')
          .select(['account_id', 'request_id'])
          .where('account_id', '=', accountId)
          .where('created_at_ms', '<', BigInt(beforeMs))
          .limit(BigInt(atMost))
          .$asTuple('account_id', 'request_id'),
      ),
    )
    .returning('request_id')
    .execute()
  return deleted.length
}
