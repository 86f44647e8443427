import type { Listing, Page } from '../ports/page.ts'
import { refuse } from './refuse.ts'

/**
 * One page of what is in memory, ordered by position. A cursor is the position of the last item given, so paging
 * goes on rightly when items come or go in between.
 */
export function pageOf<T>(items: Iterable<T>, page: Page, positionOf: (item: T) => string): Listing<T> {
  const after = page.cursor === null ? null : readCursor(page.cursor)
  const rest = [...items]
    .map((item) => ({ item, position: positionOf(item) }))
    .filter(({ position }) => after === null || position > after)
    .toSorted((a, b) => (a.position < b.position ? -1 : 1))
  const given = rest.slice(0, page.limit)
  const last = given.at(-1)
  return {
    data: given.map(({ item }) => item),
    nextCursor: last !== undefined && rest.length > given.length ? writeCursor(last.position) : null,
  }
}

/** Oldest first; the id tells apart what was made in the same millisecond. */
export function positionByAge(item: { readonly createdAtMs: number; readonly id: string }): string {
  return `${String(item.createdAtMs).padStart(16, '0')} ${item.id}`
}

export function positionById(item: { readonly id: string }): string {
  return item.id
}

function writeCursor(position: string): string {
  return Buffer.from(position, 'utf8').toString('base64url')
}

function readCursor(cursor: string): string {
  const position = Buffer.from(cursor, 'base64url').toString('utf8')
  if (position === '' || writeCursor(position) !== cursor) {
    refuse('cursor', 'cursor must be a next_cursor of an earlier page.')
  }
  return position
}
