import { GatewayError } from '../../errors/gateway-error.ts'

export interface ListedItem {
  readonly id: string
}

export interface PageWanted {
  readonly order: 'asc' | 'desc'
  /** The entry that the page comes after; null for the first page. */
  readonly after: string | null
  readonly limit: number
}

const DEFAULT_ITEMS = 20
const MAX_ITEMS = 100

/** The page that a query asks for, as the official clients page through lists. */
export function readPage(query: URLSearchParams, defaultOrder: PageWanted['order']): PageWanted {
  return {
    order: readOrder(query.get('order') ?? defaultOrder),
    after: query.get('after'),
    limit: readLimit(query.get('limit')),
  }
}

interface ShowOptions {
  /** How an entry of the page is written. */
  readonly show?: (item: ListedItem) => ListedItem
  readonly defaultOrder?: PageWanted['order']
}

const same = (item: ListedItem): ListedItem => item

/** One page of a list that is known as a whole, newest first unless the query asks otherwise. */
export function pageOfItems(
  items: readonly ListedItem[],
  query: URLSearchParams,
  { show = same, defaultOrder = 'desc' }: ShowOptions = {},
): object {
  const { order, after, limit } = readPage(query, defaultOrder)
  const ordered = order === 'asc' ? items : items.toReversed()
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  if (after !== null && start === 0) throw unknownAfter()
  const end = start + limit
  return listOf(ordered.slice(start, end).map(show), end < ordered.length)
}

export function listOf(data: readonly ListedItem[], hasMore: boolean): object {
  return {
    object: 'list',
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  }
}

export function unknownAfter(): GatewayError {
  return new GatewayError('invalid_request', 'after names no item of this list.', { param: 'after' })
}

function readOrder(order: string): PageWanted['order'] {
  if (order === 'asc' || order === 'desc') return order
  throw new GatewayError('invalid_request', 'order must be asc or desc.', { param: 'order' })
}

function readLimit(text: string | null): number {
  if (text === null) return DEFAULT_ITEMS
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_ITEMS) return limit
  throw new GatewayError('invalid_request', `limit must be an integer from 1 to ${MAX_ITEMS}.`, {
    param: 'limit',
  })
}
