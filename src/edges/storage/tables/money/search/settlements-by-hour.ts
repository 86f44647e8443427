import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { SPAN_MS, spanStartMs } from '../../../../../rules/ledger/aggregate.ts'
import type { SettlementListFilter, UsageSpan } from '../../../../../vocabulary/settlement.ts'
import { isBeyond, type Position } from '../../../cursor.ts'
import type { Database } from '../../../engines/database.ts'
import { allOf, given, queryOn } from '../../../query.ts'
import { totalsFor } from '../../usage/usage-source.ts'
import { SETTLEMENT_COLUMNS, type SettlementRow } from '../settlement-rows.ts'
import type { UsageRow } from '../usage-rows.ts'

type Conditions = RawBuilder<SqlBool>[]

// Nothing that either database would choose an index by.
const STARTED_AT_MS = sql<bigint>`(started_at_ms + 0)`

/**
 * The same for hours in which an account's requests ended, by whose index they are to be found and no other: which hours
 * are meant PostgreSQL does not know when it makes a plan to keep, and any other way would take a hundred times as long.
 */
function conditionsWithinHours(filter: HourlyFilter, position: Position | null): Conditions {
  const wanted = given<'settlements'>([
    ['account_id', '=', filter.accountId],
    [sql`(key_id || '')`, '=', filter.keyId],
    [sql`(model || '')`, '=', filter.model],
    [sql`(supplier || '')`, '=', filter.supplier],
    ['outcome', '=', filter.outcome],
    [STARTED_AT_MS, '>=', filter.fromMs],
    [STARTED_AT_MS, '<', filter.toMs],
  ])
  if (position === null) return wanted
  const { atMs, id } = position
  return [...wanted, isBeyond([STARTED_AT_MS, sql.ref('request_id')], [BigInt(atMs), id], 'desc')]
}

export type HourlyFilter = SettlementListFilter & { readonly accountId: string }

/** Whether usage by hour tells where these are. */
export function isByHour(filter: SettlementListFilter): filter is HourlyFilter {
  const { accountId, model, supplier, session, agent, outcome = 'completed' } = filter
  // Sessions have an index of their own, and so has what went wrong.
  if (accountId === undefined || session !== undefined || agent !== undefined) return false
  return outcome === 'completed' && (model !== undefined || supplier !== undefined)
}

/**
 * A model or a supplier that an account seldom uses may be anywhere among a million settlements, and an index to find it by would
 * make writing all of them dearer. But what is added up already tells the hours in which it was used.
 */
export async function readByHour(
  database: Database,
  filter: HourlyFilter,
  portion: { readonly position: Position | null; readonly limit: number },
): Promise<SettlementRow[]> {
  let newest: SettlementRow[] = []
  const wanted = conditionsWithinHours(filter, portion.position)
  for await (const hours of hoursOf(database, filter, portion.position)) {
    newest.push(...(await readHours(database, wanted, { hours, limit: portion.limit })))
    newest = newest.sort(compareNewestFirst).slice(0, portion.limit)
    const oldest = newest.at(-1)
    // Whatever ended before these hours has also begun before them.
    if (newest.length === portion.limit && oldest && oldest.started_at_ms >= (hours.at(-1) ?? 0)) break
  }
  return newest
}

/**
 * The newest of each hour are enough. With a limit of its own an hour is no work to share: PostgreSQL would start
 * processes for what takes a millisecond. The sign keeps SQLite from walking through everything in this order instead.
 */
function readHours(
  database: Database,
  wanted: Conditions,
  { hours, limit }: { readonly hours: readonly number[]; readonly limit: number },
): Promise<SettlementRow[]> {
  const ofHours = hours.map((startMs) => {
    const newest = queryOn(database)
      .selectFrom('settlements')
      .select(SETTLEMENT_COLUMNS)
      .where(allOf([...wanted, ...within(ENDED_AT_MS, startMs, SPAN_MS.hour)]))
      .orderBy(sql`+started_at_ms`, 'desc')
      .orderBy('request_id', 'desc')
      .limit(BigInt(limit))
    return queryOn(database).selectFrom(newest.as('hour')).select(SETTLEMENT_COLUMNS)
  })
  return queryOn(database)
    .selectFrom(inOne(ofHours).as('hours'))
    .select(SETTLEMENT_COLUMNS)
    .orderBy('started_at_ms', 'desc')
    .orderBy('request_id', 'desc')
    .limit(BigInt(limit))
    .execute()
}

/** One query for each span: with "or" between them the databases find no better way than to read everything. */
function inOne<DB, Table extends keyof DB, Row>(
  queries: readonly SelectQueryBuilder<DB, Table, Row>[],
): SelectQueryBuilder<DB, Table, Row> {
  return queries.reduce((all, query) => all.unionAll(query))
}

function within(column: RawBuilder<unknown>, startMs: number, lengthMs: number): Conditions {
  return given([
    [column, '>=', startMs],
    [column, '<', startMs + lengthMs],
  ])
}

// As the index of an account's settlements by their end has it.
export const ENDED_AT_MS = sql<bigint>`cast(started_at_ms + duration_ms as bigint)`

function compareNewestFirst(one: SettlementRow, other: SettlementRow): number {
  const difference = Number(other.started_at_ms - one.started_at_ms)
  if (difference !== 0) return difference
  return one.request_id < other.request_id ? 1 : -1
}

// No request takes longer: a client, a supplier or an operator would have ended it.
export const LONGEST_REQUEST_MS = SPAN_MS.day

/** The hours in which requests ended that may be wanted, newest first. Days are looked at before hours: they are few. */
async function* hoursOf(
  database: Database,
  filter: HourlyFilter,
  position: Position | null,
): AsyncGenerator<readonly number[]> {
  const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER - LONGEST_REQUEST_MS } = filter
  const lastMs = Math.min(toMs, position?.atMs ?? toMs) + LONGEST_REQUEST_MS
  const ofDays = used(database, filter, 'day').where(
    allOf(
      given<'usage_totals'>([
        ['start_ms', '>=', spanStartMs('day', fromMs)],
        ['start_ms', '<=', lastMs],
      ]),
    ),
  )
  for (const starts of inGrowingPortions(await startsOf(database, ofDays))) {
    const ofHours = starts.map((startMs) =>
      used(database, filter, 'hour').where(allOf(within(sql.ref('start_ms'), startMs, SPAN_MS.day))),
    )
    yield* inGrowingPortions(await startsOf(database, inOne(ofHours)))
  }
}

/** A column that no index holds keeps SQLite from walking through the hours of all accounts. */
function used(database: Database, filter: HourlyFilter, span: UsageSpan) {
  const { accountId, model, keyId, supplier } = filter
  const wanted = given<'usage_totals'>([
    ['account_id', '=', accountId],
    ['span', '=', span],
    ['model', '=', model],
    ['key_id', '=', keyId],
    ['supplier', '=', supplier],
  ])
  const totals = totalsFor<UsageRow>({ filter, groupBy: [] })
  return queryOn(database)
    .selectFrom(totals.as('used'))
    .select(['start_ms', 'completed'])
    .where(allOf(wanted))
}

const LARGEST_PORTION = 32

/** Mostly the first few are all that is needed; when they are not, asking for one after the other would take long. */
function* inGrowingPortions(items: readonly number[]): Generator<readonly number[]> {
  let size = 1
  for (let done = 0; done < items.length; ) {
    yield items.slice(done, done + size)
    done += size
    size = Math.min(2 * size, LARGEST_PORTION)
  }
}

async function startsOf(database: Database, spans: ReturnType<typeof used>): Promise<number[]> {
  const rows = await queryOn(database)
    .selectFrom(spans.as('used'))
    .select(({ fn }) => ['start_ms', fn.max('completed').as('most')])
    .groupBy('start_ms')
    .orderBy('start_ms', 'desc')
    .execute()
  return rows.map(({ start_ms }) => Number(start_ms))
}
