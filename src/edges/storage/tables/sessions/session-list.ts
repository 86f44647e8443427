import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Listing, Page } from '../../../../manage/ports/page.ts'
import {
  type ClientSession,
  type ClientSessionFilter,
  MAX_SESSION_NAMES,
  MAX_SORTED_SESSIONS,
  type SessionSort,
  SessionTotals,
} from '../../../../vocabulary/observability/client-session.ts'
import type { Row } from '../../../../vocabulary/shape.ts'
import { readPage } from '../../cursor.ts'
import type { Database } from '../../engines/database.ts'
import { allOf, given, queryOn } from '../../query.ts'

type SortedRow = Row<typeof SessionTotals> & { readonly sorted_by: bigint }

const SORTED_BY: Readonly<Record<Exclude<SessionSort, 'last'>, RawBuilder<bigint>>> = {
  requests: sql`requests`,
  errors: sql`errors`,
  tokens: sql`input_tokens + output_tokens`,
  amount: sql`amount_nano`,
}

export async function listClientSessions(
  database: Database,
  { sort = 'last', ...filter }: ClientSessionFilter,
  page: Page,
): Promise<Listing<ClientSession>> {
  const sessions = queryOn(database)
    .selectFrom('client_sessions')
    .select(SessionTotals.columns)
    .where(allOf(conditionsOf(filter)))
  const decode = (row: Row<typeof SessionTotals>) => SessionTotals.fromRow(row)
  if (sort === 'last') {
    return withNames(database, await readPage(sessions, page, { at: 'last_at_ms', decode }))
  }
  const newest = sessions
    .select(SORTED_BY[sort].as('sorted_by'))
    .orderBy('last_at_ms', 'desc')
    .orderBy('id', 'desc')
    .limit(BigInt(MAX_SORTED_SESSIONS))
  const sorted = queryOn(database)
    .selectFrom(newest.as('newest'))
    .select([...SessionTotals.columns, 'sorted_by'])
  const listing = await readPage(sorted, page, {
    at: 'sorted_by',
    decode: ({ sorted_by: _, ...row }: SortedRow) => decode(row),
  })
  return withNames(database, listing)
}

function conditionsOf(filter: Omit<ClientSessionFilter, 'sort'>): RawBuilder<SqlBool>[] {
  const { accountId, keyId, session, hasErrors, fromMs, toMs } = filter
  const conditions = given<'client_sessions'>([
    // A key has one account, and its sessions have an index of their own.
    [keyId === undefined ? 'account_id' : sql`(account_id || '')`, '=', accountId],
    ['key_id', '=', keyId],
    ['last_at_ms', '>=', fromMs],
    [sql`(first_at_ms + 0)`, '<', toMs],
  ])
  if (hasErrors !== undefined) conditions.push(hasErrors ? sql`errors > 0` : sql`errors = 0`)
  if (session !== undefined) {
    // Within these bounds in every collation; the second condition is the exact one.
    conditions.push(
      sql`session >= ${session} and session < ${`${session}zzzz`}`,
      sql`substr(session, 1, ${sql.lit(session.length)}) = ${session}`,
    )
  }
  return conditions
}

async function withNames(
  database: Database,
  { data, nextCursor }: Listing<SessionTotals>,
): Promise<Listing<ClientSession>> {
  const ids = data.map(({ id }) => id)
  const models = await findNames(database, ids, 'model')
  const agents = await findNames(database, ids, 'agent')
  const sessions = data.map(({ id, ...totals }) => ({
    ...totals,
    models: models.get(id) ?? [],
    agents: agents.get(id) ?? [],
  }))
  return { data: sessions, nextCursor }
}

/** A few names of each session; a client may have given it any number. */
async function findNames(
  database: Database,
  ids: readonly string[],
  kind: 'model' | 'agent',
): Promise<ReadonlyMap<string, string[]>> {
  const names = new Map<string, string[]>(ids.map((id) => [id, []]))
  const queries = ids.map((id) => {
    const few = queryOn(database)
      .selectFrom('client_session_names')
      .select(['session_id', 'name'])
      .where('session_id', '=', id)
      .where('kind', '=', kind)
      .orderBy('name')
      .limit(BigInt(MAX_SESSION_NAMES))
    return queryOn(database).selectFrom(few.as('few')).select(['session_id', 'name'])
  })
  if (queries.length === 0) return names
  const rows = await queries.reduce((all, query) => all.unionAll(query)).execute()
  for (const { session_id, name } of rows) names.get(session_id)?.push(name)
  return names
}
