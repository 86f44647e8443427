import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Listing, Page } from '../../manage/ports/page.ts'
import type { Parameter } from './engines/database.ts'

/** Where a row stands in a listing ordered by time, then id. */
export interface Position {
  readonly atMs: number
  readonly id: string
}

export function encodeCursor({ atMs, id }: Position): string {
  return writeCursor([atMs, id])
}

export function decodeCursor(cursor: string): Position {
  const [atMs, id] = readCursor(cursor, 2)
  if (Number.isSafeInteger(atMs) && typeof id === 'string') return { atMs: atMs as number, id }
  throw new GatewayError('invalid_request', 'cursor must be the next_cursor of an earlier page.', {
    param: 'cursor',
  })
}

/** Makes a page of rows read with one more than the limit, which tells whether a next page exists. */
export function pageOf<T>(items: readonly T[], page: Page, positionOf: (item: T) => Position): Listing<T> {
  const data = items.slice(0, page.limit)
  const last = data.at(-1)
  const hasMore = items.length > page.limit
  return { data, nextCursor: hasMore && last !== undefined ? encodeCursor(positionOf(last)) : null }
}

/** A place in any order, as clients are to carry it. */
export function writeCursor(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** What a cursor of so many values holds, which may be anything; nothing when it is no such cursor. */
export function readCursor(cursor: string, length: number): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(values) && values.length === length ? values : []
  } catch {
    return []
  }
}

/** What a list is ordered by: a time, and what tells apart those of one moment. Columns, or what makes them up. */
interface Order {
  readonly at: string | Expression<bigint>
  readonly id: string | Expression<string>
  /** Newest first, unless this says otherwise. */
  readonly direction?: 'asc' | 'desc'
}

/** One page of a query's rows, found by the columns of the order. */
export async function readPage<DB, Table extends keyof DB, Row, Item>(
  query: SelectQueryBuilder<DB, Table, Row>,
  page: Page,
  order: {
    readonly at?: keyof Row & string
    readonly id?: keyof Row & string
    readonly direction?: Order['direction']
    decode(row: Row): Item
  },
): Promise<Listing<Item>> {
  const { at = 'at_ms', id = 'id', direction = 'desc', decode } = order
  const rows = await inOrder(query, page, { at, id, direction }).execute()
  const { data, nextCursor } = pageOf(rows as readonly Readonly<Record<string, unknown>>[], page, (row) => ({
    atMs: Number(row[at]),
    id: String(row[id]),
  }))
  return { data: data.map((row) => decode(row as Row)), nextCursor }
}

/** The rows of a page and one more, which tells whether a next page exists. */
export function inOrder<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  { cursor, limit }: Page,
  { at, id, direction = 'desc' }: Order,
): SelectQueryBuilder<DB, Table, Row> {
  const columns = [at, id].map((each) => (typeof each === 'string' ? sql.ref(each) : each))
  const ordered = columns.reduce((all, column) => all.orderBy(column, direction), query)
  const page = ordered.limit(BigInt(limit + 1))
  if (cursor === null) return page
  const { atMs, id: lastId } = decodeCursor(cursor)
  const position = [BigInt(atMs), lastId]
  const beyond = page.where(isBeyond(columns, position, direction))
  // Says nothing new, but with an index on an expression it is all that SQLite can make use of.
  const reaches = sql.raw(direction === 'asc' ? '>=' : '<=')
  return typeof at === 'string' ? beyond : beyond.where(sql<SqlBool>`${at} ${reaches} ${BigInt(atMs)}`)
}

/** Whether a row comes after a position in the order of these columns. */
export function isBeyond(
  columns: readonly Expression<unknown>[],
  position: readonly Parameter[],
  direction: 'asc' | 'desc',
): RawBuilder<SqlBool> {
  return sql`(${sql.join(columns)}) ${sql.raw(direction === 'asc' ? '>' : '<')} (${sql.join(position)})`
}
