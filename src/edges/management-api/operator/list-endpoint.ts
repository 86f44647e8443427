import type { Endpoint, Exchange } from '../../../gateway/ports/exchange.ts'
import type { Page } from '../../../gateway/ports/storage.ts'
import { readPage, requireKnownQuery } from './read-values.ts'

export interface ListSource {
  readonly path: string
  /** Query parameters it knows besides `limit` and `cursor`. */
  readonly filters?: readonly string[]
}

/** An endpoint that answers one page of a list. */
export function listEndpoint(
  { path, filters = [] }: ListSource,
  answer: (page: Page, exchange: Exchange) => Response | Promise<Response>,
): Endpoint {
  return {
    method: 'GET',
    path,
    handle: (exchange) => {
      requireKnownQuery(exchange.query, ['limit', 'cursor', ...filters])
      return answer(readPage(exchange.query), exchange)
    },
  }
}
