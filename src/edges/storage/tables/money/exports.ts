import { sql } from 'kysely'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { Placed } from '../../../../gateway/ports/books.ts'
import type { Page } from '../../../../gateway/ports/storage.ts'
import { LedgerEntry, type LedgerFilter } from '../../../../vocabulary/ledger.ts'
import type { Settlement, SettlementFilter } from '../../../../vocabulary/settlement.ts'
import { encodeCursor, inOrder, readCursor, writeCursor } from '../../cursor.ts'
import type { Database } from '../../database.ts'
import { allOf, given, queryOn } from '../../query.ts'
import { settlementConditions } from './settlement-list.ts'
import { createPriceReader, decodeSettlement, SETTLEMENT_COLUMNS } from './settlement-rows.ts'

/** In the order they started in, so that an export can go on where another was cut off. */
export async function readSettlements(
  database: Database,
  filter: SettlementFilter,
  page: Page,
): Promise<Placed<Settlement>[]> {
  const query = queryOn(database)
    .selectFrom('settlements')
    .select(SETTLEMENT_COLUMNS)
    .where(allOf(settlementConditions(filter)))
  const order = { at: sql.ref<bigint>('started_at_ms'), id: 'request_id', direction: 'asc' } as const
  const rows = await inOrder(query, page, order).limit(BigInt(page.limit)).execute()
  const readPrice = createPriceReader()
  return rows.map((row) => ({
    item: decodeSettlement(row, readPrice),
    cursor: encodeCursor({ atMs: Number(row.started_at_ms), id: row.request_id }),
  }))
}

/** Where an entry stands in a ledger that goes account by account. */
interface LedgerPosition {
  readonly accountId: string
  /** Null before the first entry of the account. */
  readonly entry: { readonly atMs: number; readonly id: string } | null
}

/** Account by account, because that is the order in which entries can be found without sorting all of them. */
export async function readLedger(
  database: Database,
  filter: LedgerFilter,
  page: Page,
): Promise<Placed<LedgerEntry>[]> {
  const entries: LedgerEntry[] = []
  let position = page.cursor === null ? await firstAccount(database, filter) : readPosition(page.cursor)
  while (position !== null && entries.length < page.limit) {
    const limit = page.limit - entries.length
    const found = await readEntries(database, filter, { position, limit })
    entries.push(...found)
    if (found.length === limit) break
    position = filter.accountId === undefined ? await nextAccount(database, position.accountId) : null
  }
  return entries.map((item) => ({ item, cursor: writePosition(item) }))
}

function firstAccount(database: Database, { accountId }: LedgerFilter): Promise<LedgerPosition | null> {
  return accountId === undefined ? nextAccount(database, '') : Promise.resolve({ accountId, entry: null })
}

/** Every account that has an entry has a balance. */
async function nextAccount(database: Database, after: string): Promise<LedgerPosition | null> {
  const [row] = await queryOn(database)
    .selectFrom('account_balances')
    .select('account_id')
    .where('account_id', '>', after)
    .orderBy('account_id')
    .limit(1n)
    .execute()
  return row === undefined ? null : { accountId: row.account_id, entry: null }
}

async function readEntries(
  database: Database,
  filter: LedgerFilter,
  { position, limit }: { readonly position: LedgerPosition; readonly limit: number },
): Promise<LedgerEntry[]> {
  const wanted = given<'ledger_entries'>([
    ['account_id', '=', position.accountId],
    ['at_ms', '>=', filter.fromMs],
    ['at_ms', '<', filter.toMs],
  ])
  const query = queryOn(database)
    .selectFrom('ledger_entries')
    .select(LedgerEntry.columns)
    .where(allOf(wanted))
  const cursor = position.entry && encodeCursor(position.entry)
  const order = { at: sql.ref<bigint>('at_ms'), id: 'id', direction: 'asc' } as const
  const rows = await inOrder(query, { cursor, limit }, order).limit(BigInt(limit)).execute()
  return rows.map((row) => LedgerEntry.fromRow(row))
}

function writePosition({ accountId, atMs, id }: LedgerEntry): string {
  return writeCursor([accountId, atMs, id])
}

function readPosition(cursor: string): LedgerPosition {
  const [accountId, atMs, id] = readCursor(cursor, 3)
  if (typeof accountId === 'string' && Number.isSafeInteger(atMs) && typeof id === 'string') {
    return { accountId, entry: { atMs: atMs as number, id } }
  }
  throw new GatewayError('invalid_request', 'cursor must be that of a line of an earlier export.', {
    param: 'cursor',
  })
}
