import { type SqlBool, sql } from 'kysely'
import { errorCodeOf } from '../../../../../rules/ledger/error-code.ts'
import type { Settlement, SettlementListFilter } from '../../../../../vocabulary/settlement.ts'
import { inOrder, type Position } from '../../../cursor.ts'
import type { Database } from '../../../engines/database.ts'
import { allOf, analysisOn } from '../../../query.ts'
import { findSettlements } from '../settlements.ts'
import { restConditions, settlementConditions } from './settlement-conditions.ts'
import { isByHour } from './settlements-by-hour.ts'

/** So many rows are looked at in one go; with an embedded database nothing else happens meanwhile. */
export const SLICE_ROWS = 2_000

/** Whether settlements have to be looked through for those that match. */
export function needsScan(filter: SettlementListFilter): boolean {
  const { accountId, outcome, supplier, stream, code, session, agent } = filter
  if (stream !== undefined || code !== undefined) return true
  if (supplier !== undefined) return !isByHour(filter)
  // What went wrong is indexed by account.
  return outcome !== undefined && (accountId ?? session ?? agent) === undefined
}

export interface Scan {
  readonly filter: SettlementListFilter
  readonly direction: 'asc' | 'desc'
  /** The last row that was looked at; null begins at the beginning. */
  readonly cursor: string | null
}

export interface Slice {
  readonly found: readonly Settlement[]
  /** The last row that was looked at; null when there are no more. */
  readonly last: Position | null
}

/** The matches among the next rows that an index finds. */
export async function readSlice(database: Database, { filter, direction, cursor }: Scan): Promise<Slice> {
  const { outcome, ...indexed } = filter
  const isOutcomeIndexed = filter.accountId !== undefined
  const source = settlementConditions(isOutcomeIndexed ? filter : indexed)
  const rest = [...restConditions(filter)]
  if (!isOutcomeIndexed && outcome !== undefined) rest.push(sql<SqlBool>`outcome = ${outcome}`)
  const query = analysisOn(database)
    .selectFrom('settlements')
    .select(['request_id', 'started_at_ms'])
    // A condition itself is a number in one engine and a boolean in the other.
    .select(sql<string>`case when ${allOf(rest)} then 'yes' else 'no' end`.as('matches'))
    .where(allOf(source))
  const order = { at: 'started_at_ms', id: 'request_id', direction }
  const rows = await inOrder(query, { cursor, limit: SLICE_ROWS - 1 }, order).execute()
  const ids = rows.filter(({ matches }) => matches === 'yes').map(({ request_id }) => request_id)
  const last = rows.at(-1)
  return {
    found: await readInOrder(database, ids, filter),
    last:
      rows.length < SLICE_ROWS || last === undefined
        ? null
        : { atMs: Number(last.started_at_ms), id: last.request_id },
  }
}

async function readInOrder(
  database: Database,
  ids: readonly string[],
  { code }: SettlementListFilter,
): Promise<Settlement[]> {
  const byId = new Map((await findSettlements(database, ids)).map((one) => [one.requestId, one]))
  const found = ids.flatMap((id) => byId.get(id) ?? [])
  return code === undefined ? found : found.filter((one) => errorCodeOf(one) === code)
}
