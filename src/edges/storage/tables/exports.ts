import { GatewayError } from '../../../errors/gateway-error.ts'
import type { LedgerFilter, Placed } from '../../../gateway/ports/books.ts'
import type { LedgerEntry, Page, SettlementFilter } from '../../../gateway/ports/storage.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import { createPriceReader } from '../columns.ts'
import { decodeCursor, encodeCursor, readCursor, writeCursor } from '../cursor.ts'
import type { Database, Parameter } from '../database.ts'
import { decodeEntry, type LedgerRow } from './ledger-list.ts'
import { decodeSettlement, SETTLEMENT_COLUMNS, type SettlementRow } from './settlement-rows.ts'

/** In the order they started in, so that an export can go on where another was cut off. */
export async function readSettlements(
  database: Database,
  filter: SettlementFilter,
  page: Page,
): Promise<Placed<Settlement>[]> {
  const wanted = new Conditions()
  wanted.add('account_id =', filter.accountId)
  wanted.add('key_id =', filter.keyId)
  wanted.add('model =', filter.model)
  wanted.add('started_at_ms >=', filter.fromMs)
  wanted.add('started_at_ms <', filter.toMs)
  if (page.cursor !== null) {
    const { atMs, id } = decodeCursor(page.cursor)
    wanted.addAfter(['started_at_ms', 'request_id'], [atMs, id])
  }
  const rows = await database.rows<SettlementRow>(
    `select ${SETTLEMENT_COLUMNS.join(', ')} from settlements ${wanted.text()}
    order by started_at_ms, request_id limit ${wanted.place(page.limit)}`,
    wanted.parameters,
  )
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
    const found = await readEntries(database, { filter, position, limit })
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
  const [row] = await database.rows<{ account_id: string }>(
    'select account_id from account_balances where account_id > $1 order by account_id limit 1',
    [after],
  )
  return row === undefined ? null : { accountId: row.account_id, entry: null }
}

interface EntryQuestion {
  readonly filter: LedgerFilter
  readonly position: LedgerPosition
  readonly limit: number
}

async function readEntries(
  database: Database,
  { filter, position, limit }: EntryQuestion,
): Promise<LedgerEntry[]> {
  const wanted = new Conditions()
  wanted.add('account_id =', position.accountId)
  wanted.add('at_ms >=', filter.fromMs)
  wanted.add('at_ms <', filter.toMs)
  if (position.entry !== null) wanted.addAfter(['at_ms', 'id'], [position.entry.atMs, position.entry.id])
  const rows = await database.rows<LedgerRow>(
    `select kind, id, account_id, amount_nano, request_id, reference, note, at_ms
    from ledger_entries ${wanted.text()} order by at_ms, id limit ${wanted.place(limit)}`,
    wanted.parameters,
  )
  return rows.map(decodeEntry)
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

/** The conditions of a query with their parameters, numbered as they come. */
class Conditions {
  readonly parameters: Parameter[] = []
  readonly #conditions: string[] = []

  add(condition: string, value: string | number | undefined): void {
    if (value !== undefined) this.#conditions.push(`${condition} ${this.place(value)}`)
  }

  addAfter(columns: readonly string[], position: readonly (string | number)[]): void {
    const places = position.map((value) => this.place(value))
    // The first says nothing new, but with an index on an expression it is all that SQLite can make use of.
    this.#conditions.push(`${columns[0]} >= ${places[0]}`)
    this.#conditions.push(`(${columns.join(', ')}) > (${places.join(', ')})`)
  }

  place(value: string | number): string {
    this.parameters.push(typeof value === 'number' ? BigInt(value) : value)
    return `$${this.parameters.length}`
  }

  text(): string {
    return this.#conditions.length === 0 ? '' : `where ${this.#conditions.join(' and ')}`
  }
}
