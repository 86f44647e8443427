import type { Endpoint } from '../../gateway/ports/exchange.ts'
import type { Operations } from '../../gateway/ports/operations.ts'
import type { SettlementFilter } from '../../gateway/ports/storage.ts'
import { OPERATOR_PATH } from './address.ts'
import { listEndpoint } from './list-endpoint.ts'
import { idOf, readTime } from './read-values.ts'
import { renderAuditEvent, renderListing, renderSettlement } from './render.ts'

const SETTLEMENTS = `${OPERATOR_PATH}/settlements`
const FILTERS = ['account', 'key', 'model', 'from', 'to'] as const

export function historyEndpoints(operations: Operations): Endpoint[] {
  return [
    listEndpoint({ path: SETTLEMENTS, filters: FILTERS }, async (page, { query }) =>
      renderListing(await operations.listSettlements(readFilter(query), page), renderSettlement),
    ),
    {
      method: 'GET',
      path: `${SETTLEMENTS}/:id`,
      handle: async (exchange) =>
        Response.json(renderSettlement(await operations.findSettlement(idOf(exchange)))),
    },
    listEndpoint({ path: `${OPERATOR_PATH}/audit` }, async (page) =>
      renderListing(await operations.listAuditEvents(page), renderAuditEvent),
    ),
  ]
}

function readFilter(query: URLSearchParams): SettlementFilter {
  const [account, key, model, from, to] = FILTERS.map((name) => query.get(name) ?? undefined)
  return {
    ...(account !== undefined && { accountId: account }),
    ...(key !== undefined && { keyId: key }),
    ...(model !== undefined && { model }),
    ...(from !== undefined && { fromMs: readTime(from, 'from') }),
    ...(to !== undefined && { toMs: readTime(to, 'to') }),
  }
}
