import type { ListQuery } from '../../vocabulary/runtime/list-query.ts'
import type { Listing, Page } from '../ports/page.ts'
import { refuse } from './refuse.ts'

/**
 * One page of what is in memory, ordered by position. A cursor is the position of the last item given, so paging
 * goes on rightly when items come or go in between.
 */
export function pageOf<T>(items: Iterable<T>, page: Page, positionOf: (item: T) => string): Listing<T> {
  return cutPage(items, page, { positionOf, isDescending: false })
}

interface Order<T> {
  readonly positionOf: (item: T) => string
  readonly isDescending: boolean
}

function cutPage<T>(items: Iterable<T>, page: Page, { positionOf, isDescending }: Order<T>): Listing<T> {
  const after = page.cursor === null ? null : readCursor(page.cursor)
  const isBefore = (one: string, other: string) => (isDescending ? one > other : one < other)
  const rest = [...items]
    .map((item) => ({ item, position: positionOf(item) }))
    .filter(({ position }) => after === null || isBefore(after, position))
    .toSorted((a, b) => (isBefore(a.position, b.position) ? -1 : 1))
  const given = rest.slice(0, page.limit)
  const last = given.at(-1)
  return {
    data: given.map(({ item }) => item),
    nextCursor: last !== undefined && rest.length > given.length ? writeCursor(last.position) : null,
  }
}

/** What an item is ordered by. Items without it come first. */
export type Rank = string | number | bigint | null

export interface ListTerms<T, Sort extends string> {
  /** The order when none is asked for. */
  readonly positionOf: (item: T) => string
  /** The texts that a search looks into. */
  readonly textsOf: (item: T) => readonly (string | null)[]
  readonly rankOf: Readonly<Record<Sort, (item: T) => Rank>>
}

/** One page of the items that a query asks for, in the order that it asks for. */
export function listItems<T extends { readonly id: string }, Sort extends string>(
  items: Iterable<T>,
  { page, query }: { readonly page: Page; readonly query: ListQuery<Sort | `-${Sort}`> },
  { positionOf, textsOf, rankOf }: ListTerms<T, Sort>,
): Listing<T> {
  const wanted = selectItems(items, query, textsOf)
  const { sort } = query
  if (sort === undefined) return pageOf(wanted, page, positionOf)
  const isDescending = sort.startsWith('-')
  const rank = rankOf[(isDescending ? sort.slice(1) : sort) as Sort]
  const positionInSort = (item: T) => `${spellRank(rank(item))}\u0001${item.id}`
  return cutPage(wanted, page, { positionOf: positionInSort, isDescending })
}

function selectItems<T extends { readonly id: string }>(
  items: Iterable<T>,
  { search, ids }: ListQuery,
  textsOf: (item: T) => readonly (string | null)[],
): T[] {
  const words = (search ?? '').toLowerCase().split(/\s+/)
  const named = ids === undefined ? null : new Set(ids.split(','))
  return [...items].filter(
    (item) =>
      (named === null || named.has(item.id)) && (search === undefined || hasWords(words, textsOf(item))),
  )
}

function hasWords(words: readonly string[], texts: readonly (string | null)[]): boolean {
  const all = texts.join(' ').toLowerCase()
  return words.every((word) => all.includes(word))
}

// Wider than any amount, and than any number inside a name that counts as one.
const AMOUNT_DIGITS = 31
const ZERO_AMOUNT = 10n ** BigInt(AMOUNT_DIGITS - 1)
const NUMBER_DIGITS = 15

/** A text that sorts as the rank does. Numbers in names count as numbers, so "Key 9" comes before "Key 10". */
function spellRank(rank: Rank): string {
  if (rank === null) return ''
  if (typeof rank === 'string') {
    return rank.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(NUMBER_DIGITS, '0'))
  }
  return (ZERO_AMOUNT + BigInt(rank)).toString().padStart(AMOUNT_DIGITS, '0')
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
