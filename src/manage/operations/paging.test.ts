import { expect, test } from 'bun:test'
import type { Listing, Page } from '../ports/page.ts'
import { pageOf, positionByAge, positionById } from './paging.ts'

const ITEMS = ['d', 'a', 'c', 'e', 'b'].map((id) => ({ id }))

function idsOf(items: readonly { id: string }[], page: Page): { ids: string; next: string | null } {
  const listing: Listing<{ id: string }> = pageOf(items, page, positionById)
  return { ids: listing.data.map((item) => item.id).join(''), next: listing.nextCursor }
}

test('pages follow each other without gap or repetition, and the last one says so', () => {
  const first = idsOf(ITEMS, { limit: 2, cursor: null })
  const second = idsOf(ITEMS, { limit: 2, cursor: first.next })
  const third = idsOf(ITEMS, { limit: 2, cursor: second.next })
  expect([first.ids, second.ids, third.ids]).toEqual(['ab', 'cd', 'e'])
  expect(third.next).toBeNull()
})

test('a full last page has no next page', () => {
  expect(idsOf(ITEMS, { limit: 5, cursor: null })).toEqual({ ids: 'abcde', next: null })
})

test('paging goes on when the item at the cursor has gone', () => {
  const { next } = idsOf(ITEMS, { limit: 2, cursor: null })
  const remaining = ITEMS.filter((item) => item.id !== 'b')
  expect(idsOf(remaining, { limit: 2, cursor: next }).ids).toBe('cd')
})

test('a cursor that was never given out is refused', () => {
  expect(() => idsOf(ITEMS, { limit: 2, cursor: '%%%' })).toThrow('cursor must be')
})

test('age orders by time first', () => {
  const older = positionByAge({ id: 'z', createdAtMs: 9 })
  expect(older < positionByAge({ id: 'a', createdAtMs: 10 })).toBe(true)
})
