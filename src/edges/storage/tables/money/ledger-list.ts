import { sql } from 'kysely'
import type { Listing, Page } from '../../../../gateway/ports/storage.ts'
import { LedgerEntry } from '../../../../vocabulary/ledger.ts'
import type { Row } from '../../../../vocabulary/shape.ts'
import { inOrder, pageOf } from '../../cursor.ts'
import type { Database } from '../../database.ts'
import { queryOn } from '../../query.ts'
import { ENDED_AT_MS } from './settlement-list.ts'

type LedgerRow = Row<typeof LedgerEntry>

const SETTLEMENT = sql<'settlement'>`cast('settlement' as text)`.as('kind')
const COST = sql<bigint>`cast(-amount_nano as bigint)`.as('amount_nano')
const NO_REFERENCE = sql<null>`cast(null as text)`.as('reference')

const CARRIED_ID = sql<string>`cast('carried_' || key_id || '_' || day as text)`
const CARRIED_NOTE = sql<string>`cast('the sum of ' || settlements || ' settlements of ' || key_id as text)`

/**
 * An account's movements, newest first. Each part of the ledger gives its newest and they are merged here: asked for
 * all at once, PostgreSQL would sort everything the account ever did.
 */
export async function listLedger(
  database: Database,
  accountId: string,
  page: Page,
): Promise<Listing<LedgerEntry>> {
  const parts: LedgerRow[][] = await Promise.all([
    inOrder(posted(database, accountId), page, { at: sql.ref('at_ms'), id: 'id' }).execute(),
    inOrder(settled(database, accountId), page, { at: ENDED_AT_MS, id: 'request_id' }).execute(),
    inOrder(carried(database, accountId), page, { at: sql.ref('at_ms'), id: CARRIED_ID }).execute(),
  ])
  const rows = parts
    .flat()
    .sort(newestFirst)
    .slice(0, page.limit + 1)
  return pageOf(
    rows.map((row) => LedgerEntry.fromRow(row)),
    page,
    ({ atMs, id }) => ({ atMs, id }),
  )
}

function posted(database: Database, accountId: string) {
  return queryOn(database)
    .selectFrom('posted_entries')
    .select(LedgerEntry.columns)
    .where('account_id', '=', accountId)
}

function settled(database: Database, accountId: string) {
  return queryOn(database)
    .selectFrom('settlements')
    .select([SETTLEMENT, 'request_id as id', 'account_id', COST, 'request_id', NO_REFERENCE])
    .select([sql<null>`cast(null as text)`.as('note'), ENDED_AT_MS.as('at_ms')])
    .where('account_id', '=', accountId)
    .where('amount_nano', '<>', 0n)
}

function carried(database: Database, accountId: string) {
  return queryOn(database)
    .selectFrom('carried_settlements')
    .select([SETTLEMENT, CARRIED_ID.as('id'), 'account_id', COST, NO_REFERENCE])
    .select([sql<null>`cast(null as text)`.as('request_id'), CARRIED_NOTE.as('note'), 'at_ms'])
    .where('account_id', '=', accountId)
    .where('amount_nano', '<>', 0n)
}

function newestFirst(one: LedgerRow, other: LedgerRow): number {
  if (one.at_ms !== other.at_ms) return one.at_ms < other.at_ms ? 1 : -1
  return one.id < other.id ? 1 : -1
}
