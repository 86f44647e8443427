import { GatewayError } from '../../errors/gateway-error.ts'
import type { Listing, Page } from '../../gateway/ports/storage.ts'

/** Where a row stands in a listing ordered by time, then id. */
export interface Position {
  readonly atMs: number
  readonly id: string
}

export function encodeCursor({ atMs, id }: Position): string {
  return Buffer.from(JSON.stringify([atMs, id])).toString('base64url')
}

export function decodeCursor(cursor: string): Position {
  const value = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (Array.isArray(value) && value.length === 2) {
    const [atMs, id]: unknown[] = value
    if (Number.isSafeInteger(atMs) && typeof id === 'string') return { atMs: atMs as number, id }
  }
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
