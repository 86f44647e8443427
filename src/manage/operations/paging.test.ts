import { expect, test } from 'bun:test'
import type { Listing, Page } from '../ports/page.ts'
import { type ListTerms, listItems, pageOf, positionByAge, positionById } from './paging.ts'

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

interface Thing {
  readonly id: string
  readonly name: string
  readonly amountNano: bigint
  readonly endsAtMs: number | null
}

const THINGS: readonly Thing[] = [
  { id: 't1', name: 'Key 10', amountNano: -5n, endsAtMs: 3 },
  { id: 't2', name: 'key 9', amountNano: 200n, endsAtMs: null },
  { id: 't3', name: 'Other', amountNano: 30n, endsAtMs: 10 },
  { id: 't4', name: 'Key 9', amountNano: 30n, endsAtMs: 1 },
]
const TERMS: ListTerms<Thing, 'name' | 'amount' | 'ends_at'> = {
  positionOf: positionById,
  textsOf: ({ id, name }) => [id, name],
  rankOf: {
    name: ({ name }) => name,
    amount: ({ amountNano }) => amountNano,
    ends_at: ({ endsAtMs }) => endsAtMs,
  },
}

function listAll(query: Parameters<typeof listItems<Thing, 'name' | 'amount' | 'ends_at'>>[1]['query']) {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const listing: Listing<Thing> = listItems(THINGS, { page: { limit: 2, cursor }, query }, TERMS)
    ids.push(...listing.data.map(({ id }) => id))
    cursor = listing.nextCursor
  } while (cursor !== null)
  return ids.join(' ')
}

test('a list is ordered by what is asked for, and pages go on in that order', () => {
  expect(listAll({})).toBe('t1 t2 t3 t4')
  // Numbers in names count as numbers, and capitals do not count.
  expect(listAll({ sort: 'name' })).toBe('t2 t4 t1 t3')
  expect(listAll({ sort: '-name' })).toBe('t3 t1 t4 t2')
  expect(listAll({ sort: 'amount' })).toBe('t1 t3 t4 t2')
  expect(listAll({ sort: '-amount' })).toBe('t2 t4 t3 t1')
  expect(listAll({ sort: 'ends_at' })).toBe('t2 t4 t1 t3')
})

test('a list has only what is searched for, or those of the ids that there are', () => {
  expect(listAll({ search: ' KEY 9' })).toBe('t2 t4')
  expect(listAll({ search: 't3' })).toBe('t3')
  expect(listAll({ search: 'nothing has this' })).toBe('')
  expect(listAll({ ids: 't4,t1,t9' })).toBe('t1 t4')
  expect(listAll({ ids: 't4,t1', search: '10', sort: '-name' })).toBe('t1')
})
