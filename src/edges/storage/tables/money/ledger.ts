import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { Placed } from '../../../../manage/ports/ledger.ts'
import type { Listing, Page } from '../../../../manage/ports/page.ts'
import type { DailySpend } from '../../../../manage/ports/storage.ts'
import { periodStartDay } from '../../../../rules/ledger/period.ts'
import type { KeyTotals, StoredBalance } from '../../../../serve/ports/shared-storage.ts'
import { LedgerEntry, type LedgerFilter } from '../../../../vocabulary/ledger.ts'
import type { NanoUsdt } from '../../../../vocabulary/money.ts'
import type { Row } from '../../../../vocabulary/shape.ts'
import { encodeCursor, inOrder, pageOf, readCursor, writeCursor } from '../../cursor.ts'
import type { Database, Parameter } from '../../engines/database.ts'
import { allOf, given, inPortions, padded, prepare, queryOn } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import type { Tables } from '../../tables.ts'
import { ENDED_AT_MS } from './search/settlements-by-hour.ts'

const POSTED_ENTRIES = { table: 'posted_entries', columns: LedgerEntry.columns } as const

const INSERT_ENTRIES = planInsert(POSTED_ENTRIES)

// Waits for another transaction that is entering the same reference, and then finds it taken.
const INSERT_ADJUSTMENT_ONCE = planInsert({
  ...POSTED_ENTRIES,
  ending: `on conflict (account_id, reference) where kind = 'adjustment' and reference is not null
    do nothing`,
  returning: ['id'],
})

const ADD_TO_BALANCES = planInsert({
  table: 'account_balances',
  columns: ['account_id', 'balance_nano', 'total_paid_nano', 'version'],
  ending: `on conflict (account_id) do update set
    balance_nano = account_balances.balance_nano + excluded.balance_nano,
    total_paid_nano = account_balances.total_paid_nano + excluded.total_paid_nano,
    version = account_balances.version + 1`,
  returning: ['account_id', 'balance_nano', 'version'],
})

/** Appends entries and moves the balances by them. Settlements are entries by themselves, and are refused here. */
export async function enterInLedger(tx: Database, entries: readonly LedgerEntry[]): Promise<void> {
  await insertRows(tx, INSERT_ENTRIES, entries.map(encodeEntry))
  await moveBalancesBy(tx, entries)
}

/** The same for an adjustment, unless its account has one with its reference; gives whether it was entered. */
export async function enterAdjustmentOnce(tx: Database, entry: LedgerEntry): Promise<boolean> {
  const inserted = await insertRows(tx, INSERT_ADJUSTMENT_ONCE, [encodeEntry(entry)])
  if (inserted.length === 0) return false
  await moveBalancesBy(tx, [entry])
  return true
}

function encodeEntry(entry: LedgerEntry): Parameter[] {
  return Object.values(LedgerEntry.toRow(entry))
}

async function moveBalancesBy(tx: Database, entries: readonly LedgerEntry[]): Promise<void> {
  const sums = new BalanceSums()
  for (const { accountId, kind, amountNano } of entries) {
    sums.add(accountId, amountNano, kind === 'payment' ? amountNano : 0n)
  }
  await moveBalances(tx, sums)
}

/** What balances change by. */
export class BalanceSums {
  readonly #sums = new Map<string, { balance: bigint; paid: bigint }>()

  add(accountId: string, amountNano: NanoUsdt, paidNano: NanoUsdt): void {
    const sum = this.#sums.get(accountId)
    if (sum === undefined) {
      this.#sums.set(accountId, { balance: amountNano, paid: paidNano })
    } else {
      sum.balance += amountNano
      sum.paid += paidNano
    }
  }

  // All writers touch accounts in the order of their ids, so two of them can never wait for each other.
  rows(): [string, bigint, bigint, bigint][] {
    const inOrder = [...this.#sums].sort(([left], [right]) => (left < right ? -1 : 1))
    return inOrder.map(([accountId, { balance, paid }]) => [accountId, balance, paid, 1n])
  }
}

type BalanceRow = Omit<Selectable<Tables['account_balances']>, 'total_paid_nano'>

function decodeBalance(row: BalanceRow): StoredBalance {
  return { accountId: row.account_id, balanceNano: row.balance_nano, version: row.version }
}

/** To be called for what was entered in the same transaction: a balance is the sum of its entries. */
export async function moveBalances(tx: Database, sums: BalanceSums): Promise<readonly StoredBalance[]> {
  const rows = await insertRows(tx, ADD_TO_BALANCES, sums.rows())
  return rows.map(decodeBalance)
}

const LOAD_BALANCES = prepare((query) =>
  query.selectFrom('account_balances').select(['account_id', 'balance_nano']),
)

export async function loadBalances(database: Database): Promise<Map<string, NanoUsdt>> {
  const rows = await LOAD_BALANCES.all(database, {})
  return new Map(rows.map((row) => [row.account_id, row.balance_nano]))
}

/** Of a key, or of all. */
export async function loadDailySpends(database: Database, keyId: string | null): Promise<DailySpend[]> {
  const rows = await queryOn(database)
    .selectFrom('key_daily_spend')
    .select(['key_id', 'day', 'amount_nano'])
    .where('amount_nano', '<>', 0n)
    .where(allOf(given<'key_daily_spend'>([['key_id', '=', keyId ?? undefined]])))
    .execute()
  return rows.map((row) => ({ keyId: row.key_id, day: Number(row.day), amountNano: row.amount_nano }))
}

// Both engines take more, but SQLite takes seconds to read such a statement.
const MAX_IDS = 1_024

export async function loadStoredBalances(
  database: Database,
  accountIds: readonly string[],
): Promise<StoredBalance[]> {
  const rows = await rowsOf(accountIds, (ids) =>
    queryOn(database)
      .selectFrom('account_balances')
      .select(['account_id', 'balance_nano', 'version'])
      .where('account_id', 'in', ids)
      .execute(),
  )
  const byId = new Map(rows.map((row) => [row.account_id, decodeBalance(row)]))
  return accountIds.map((accountId) => byId.get(accountId) ?? { accountId, balanceNano: 0n, version: 0n })
}

/** What was spent since a period began. Days after the given one count as well: another node's clock may be ahead. */
export async function loadKeyTotals(
  database: Database,
  keyIds: readonly string[],
  day: number,
): Promise<KeyTotals[]> {
  const [week, month] = [periodStartDay('weekly', day), periodStartDay('monthly', day)]
  const rows = await rowsOf(keyIds, (ids) =>
    queryOn(database)
      .selectFrom('key_daily_spend')
      .select((row) => [
        'key_id',
        sumSince(row, day).as('daily'),
        sumSince(row, week).as('weekly'),
        sumSince(row, month).as('monthly'),
        row.cast<bigint>(row.fn.sum('amount_nano'), 'bigint').as('forever'),
      ])
      .where('key_id', 'in', ids)
      .groupBy('key_id')
      .execute(),
  )
  const byId = new Map(rows.map((row) => [row.key_id, row]))
  return keyIds.map((keyId) => {
    const row = byId.get(keyId)
    return {
      keyId,
      totals: {
        daily: { startDay: day, spentNano: row?.daily ?? 0n },
        weekly: { startDay: week, spentNano: row?.weekly ?? 0n },
        monthly: { startDay: month, spentNano: row?.monthly ?? 0n },
        forever: { startDay: 0, spentNano: row?.forever ?? 0n },
      },
    }
  })
}

function sumSince(row: ExpressionBuilder<Tables, 'key_daily_spend'>, firstDay: number) {
  const sum = row.fn.sum('amount_nano').filterWhere('day', '>=', BigInt(firstDay))
  return row.cast<bigint>(row.fn.coalesce(sum, row.lit(0)), 'bigint')
}

/** One query for all of them, or several when there are more than any statement takes. */
async function rowsOf<Row>(
  ids: readonly string[],
  read: (padded: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = []
  for (const portion of inPortions(ids, MAX_IDS)) {
    // Up to a power of two, so that any number of ids makes few distinct statements, all of which stay prepared.
    found.push(...(await read(padded(portion, 2 ** Math.ceil(Math.log2(portion.length))))))
  }
  return found
}

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
  return entries.map((item) => ({ item, cursor: writeCursor([item.accountId, item.atMs, item.id]) }))
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

function readPosition(cursor: string): LedgerPosition {
  const [accountId, atMs, id] = readCursor(cursor, 3)
  if (typeof accountId === 'string' && Number.isSafeInteger(atMs) && typeof id === 'string') {
    return { accountId, entry: { atMs: atMs as number, id } }
  }
  throw new GatewayError('invalid_request', 'cursor must be that of a line of an earlier export.', {
    param: 'cursor',
  })
}
