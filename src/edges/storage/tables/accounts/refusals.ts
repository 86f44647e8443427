import { type SelectQueryBuilder, sql } from 'kysely'
import type { RefusalHorizon, RefusalQuestion } from '../../../../manage/ports/refusals.ts'
import {
  Refusal,
  type RefusalFilter,
  RefusalMinute,
  type RefusalSpan,
} from '../../../../vocabulary/observability/refusal.ts'
import { readPage } from '../../cursor.ts'
import type { Database } from '../../engines/database.ts'
import { allOf, given, queryOn } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import type { StoreMethods } from '../../store.ts'
import type { Tables } from '../../tables.ts'

const ADD_COUNTS = planInsert({
  table: 'refusal_minutes',
  columns: RefusalMinute.columns,
  ending: `on conflict (minute_ms, key_id, code) do update set
    count = refusal_minutes.count + excluded.count,
    last_at_ms = case when refusal_minutes.last_at_ms < excluded.last_at_ms
      then excluded.last_at_ms else refusal_minutes.last_at_ms end`,
})
const ADD_DETAILS = planInsert({
  table: 'refusals',
  columns: Refusal.columns,
  ending: 'on conflict (request_id) do nothing',
})

// How many are kept in detail.
const MOST_OF_KEY = 20
const MOST_OF_ACCOUNT = 200

const SPAN_MS: Readonly<Record<RefusalSpan, number>> = {
  minute: 60_000,
  hour: 60 * 60_000,
  day: 24 * 60 * 60_000,
}

/** Refused requests: how many there were, and the last ones. */
export const refusalStore = {
  saveRefusals: ({ database }, counts, details) =>
    database.transaction(async (tx) => {
      // Two nodes that write the same rows do it in the same order, so that they cannot deadlock.
      const ordered = counts.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
      await insertRows(
        tx,
        ADD_COUNTS,
        ordered.map((each) => Object.values(RefusalMinute.toRow(each))),
      )
      if (details.length === 0) return
      await insertRows(
        tx,
        ADD_DETAILS,
        details.map((each) => Object.values(Refusal.toRow(each))),
      )
      const keys = new Set(details.map(({ keyId }) => keyId))
      const accounts = new Set(details.map(({ accountId }) => accountId))
      for (const id of [...keys].sort()) await keepNewest(tx, { column: 'key_id', id, atMost: MOST_OF_KEY })
      for (const id of [...accounts].sort())
        await keepNewest(tx, { column: 'account_id', id, atMost: MOST_OF_ACCOUNT })
    }),
  listRefusals: ({ database }, filter, page) => {
    const { accountId, keyId, code, model, requestId, fromMs, toMs } = filter
    const wanted = given<'refusals'>([
      ['account_id', '=', accountId],
      ['key_id', '=', keyId],
      ['code', '=', code],
      ['model', '=', model],
      // The rest of an id is made of digits and the letters up to f.
      ['request_id', '>=', requestId],
      ['request_id', '<', requestId === undefined ? undefined : `${requestId}g`],
      ['at_ms', '>=', fromMs],
      ['at_ms', '<', toMs],
    ])
    const query = queryOn(database).selectFrom('refusals').select(Refusal.columns).where(allOf(wanted))
    return readPage(query, page, { id: 'request_id', decode: (row) => Refusal.fromRow(row) })
  },
  countRefusals: ({ database }, question, page) =>
    readPage(countsOf(database, question, 'key_id'), page, {
      at: 'start_ms',
      decode: ({ account_id, key_id, ...row }) => ({
        ...totalOf(row),
        accountId: account_id || null,
        keyId: key_id || null,
      }),
    }),
  totalRefusals: ({ database }, question, page) =>
    readPage(countsOf(database, question, null), page, { at: 'start_ms', decode: totalOf }),
  deleteRefusals: ({ database }, before, atMost) => deleteRefusals(database, before, atMost),
} satisfies Partial<StoreMethods>

function placeOf({ minuteMs, keyId, code }: RefusalMinute): string {
  return `${minuteMs} ${keyId} ${code}`
}

async function keepNewest(
  tx: Database,
  { column, id, atMost }: { readonly column: 'key_id' | 'account_id'; id: string; atMost: number },
): Promise<void> {
  const surplus = queryOn(tx)
    .selectFrom('refusals')
    .select('request_id')
    .where(column, '=', id)
    .orderBy('at_ms', 'desc')
    .orderBy('request_id', 'desc')
    .limit(1_000n)
    .offset(BigInt(atMost))
  await queryOn(tx).deleteFrom('refusals').where('request_id', 'in', surplus).execute()
}

interface CountRow {
  readonly start_ms: bigint
  readonly account_id: string
  readonly key_id: string
  readonly code: string
  readonly id: string
  readonly total: bigint
  readonly last_at_ms: bigint
}

type CountQuery = SelectQueryBuilder<Tables & { counts: CountRow }, 'counts', CountRow>

/** Counts by period and code, and by key unless keys are added up. */
function countsOf(database: Database, { filter, span }: RefusalQuestion, by: 'key_id' | null): CountQuery {
  const spanMs = sql.lit(SPAN_MS[span])
  const key = by === null ? sql.lit('') : sql.ref('key_id')
  const account = by === null ? sql.lit('') : sql.ref('account_id')
  const counts = sql<CountRow>`(select (minute_ms / ${spanMs}) * ${spanMs} as start_ms,
    ${account} as account_id, ${key} as key_id, code, ${key} || ' ' || code as id,
    cast(sum(count) as bigint) as total, max(last_at_ms) as last_at_ms
    from refusal_minutes where ${allOf(countConditions(filter))}
    group by 1, 2, 3, 4, 5)`
  const query = queryOn(database).selectFrom(counts.as('counts')).selectAll()
  return query as unknown as CountQuery
}

function countConditions({ accountId, keyId, code, fromMs, toMs }: RefusalFilter) {
  return given<'refusal_minutes'>([
    ['account_id', '=', accountId],
    ['key_id', '=', keyId],
    ['code', '=', code],
    ['minute_ms', '>=', fromMs],
    ['minute_ms', '<', toMs],
  ])
}

function totalOf({ start_ms, code, total, last_at_ms }: Omit<CountRow, 'account_id' | 'key_id'>) {
  return { startMs: Number(start_ms), code, count: Number(total), lastAtMs: Number(last_at_ms) }
}

async function deleteRefusals(
  database: Database,
  { detailsMs, countsMs }: RefusalHorizon,
  atMost: number,
): Promise<number> {
  const old = queryOn(database)
    .selectFrom('refusals')
    .select('request_id')
    .where('at_ms', '<', BigInt(detailsMs))
    .orderBy('at_ms')
    .limit(BigInt(atMost))
  const details = await queryOn(database)
    .deleteFrom('refusals')
    .where('request_id', 'in', old)
    .returning('request_id')
    .execute()
  // A minute has few rows: one for each key and code.
  const minutes = queryOn(database)
    .selectFrom('refusal_minutes')
    .select('minute_ms')
    .distinct()
    .where('minute_ms', '<', BigInt(countsMs))
    .orderBy('minute_ms')
    .limit(BigInt(60))
  const counts = await queryOn(database)
    .deleteFrom('refusal_minutes')
    .where('minute_ms', 'in', minutes)
    .returning('code')
    .execute()
  return Math.max(details.length, counts.length > 0 ? atMost : 0)
}
