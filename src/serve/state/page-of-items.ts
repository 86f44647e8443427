import { GatewayError } from '../../errors/gateway-error.ts'

export interface ListedItem {
  readonly id: string
}

const DEFAULT_ITEMS = 20
const MAX_ITEMS = 100

/** One page of a list as the official clients page through it: newest first unless they ask otherwise. */
export function pageOfItems(items: readonly ListedItem[], query: URLSearchParams): object {
  const ordered = query.get('order') === 'asc' ? items : items.toReversed()
  const start = readStart(ordered, query.get('after'))
  const end = start + readLimit(query.get('limit'))
  const data = ordered.slice(start, end)
  return {
    object: 'list',
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: end < ordered.length,
  }
}

function readStart(items: readonly ListedItem[], after: string | null): number {
  if (after === null) return 0
  const index = items.findIndex(({ id }) => id === after)
  if (index >= 0) return index + 1
  throw new GatewayError('invalid_request', 'after names no item of this list.', { param: 'after' })
}

function readLimit(text: string | null): number {
  if (text === null) return DEFAULT_ITEMS
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_ITEMS) return limit
  throw new GatewayError('invalid_request', `limit must be an integer from 1 to ${MAX_ITEMS}.`, {
    param: 'limit',
  })
}
