import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Exchange } from '../../../gateway/ports/exchange.ts'
import type { Page } from '../../../gateway/ports/storage.ts'

const DEFAULT_PAGE = 50
const LARGEST_PAGE = 200

export function readPage(query: URLSearchParams): Page {
  const text = query.get('limit') ?? String(DEFAULT_PAGE)
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > LARGEST_PAGE) {
    throw new GatewayError('invalid_request', `limit must be a whole number from 1 to ${LARGEST_PAGE}.`, {
      param: 'limit',
    })
  }
  return { limit, cursor: query.get('cursor') }
}

/** Refuses a misspelt filter, which would otherwise quietly give everything. */
export function requireKnownQuery(query: URLSearchParams, known: readonly string[]): void {
  for (const name of query.keys()) {
    if (known.includes(name)) continue
    throw new GatewayError('invalid_request', `${name} is not a known query parameter.`, { param: name })
  }
}

/** The part of the path the endpoint calls `:id`. */
export function idOf(exchange: Exchange): string {
  return exchange.params.id ?? ''
}
