import { GatewayError } from '../../errors/gateway-error.ts'
import type { Listing, Page } from '../../gateway/ports/storage.ts'

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
