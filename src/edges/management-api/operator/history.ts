import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Endpoint } from '../../../gateway/ports/exchange.ts'
import type { Operations } from '../../../gateway/ports/operations.ts'
import type { SettlementListFilter } from '../../../gateway/ports/storage.ts'
import { describeSettlement } from '../../../rules/catalog/describe-settlement.ts'
import { OUTCOMES, type Outcome } from '../../../vocabulary/settlement.ts'
import { OPERATOR_PATH } from './address.ts'
import { listEndpoint } from './list-endpoint.ts'
import { idOf, parseTime } from './read-values.ts'
import { renderAuditEvent, renderListing } from './render.ts'

const SETTLEMENTS = `${OPERATOR_PATH}/settlements`
const FILTERS = ['account', 'key', 'model', 'outcome', 'from', 'to'] as const

export function historyEndpoints(operations: Operations): Endpoint[] {
  return [
    listEndpoint({ path: SETTLEMENTS, filters: FILTERS }, async (page, { query }) =>
      renderListing(await operations.listSettlements(readFilter(query), page), describeSettlement),
    ),
    {
      method: 'GET',
      path: `${SETTLEMENTS}/:id`,
      handle: async (exchange) =>
        Response.json(describeSettlement(await operations.findSettlement(idOf(exchange)))),
    },
    listEndpoint({ path: `${OPERATOR_PATH}/audit` }, async (page) =>
      renderListing(await operations.listAuditEvents(page), renderAuditEvent),
    ),
  ]
}

function readFilter(query: URLSearchParams): SettlementListFilter {
  const [account, key, model, outcome, from, to] = FILTERS.map((name) => query.get(name) ?? undefined)
  return {
    ...(account !== undefined && { accountId: account }),
    ...(key !== undefined && { keyId: key }),
    ...(model !== undefined && { model }),
    ...(outcome !== undefined && { outcome: readOutcome(outcome) }),
    ...(from !== undefined && { fromMs: parseTime(from, 'from') }),
    ...(to !== undefined && { toMs: parseTime(to, 'to') }),
  }
}

function readOutcome(text: string): Outcome {
  const outcome = OUTCOMES.find((known) => known === text)
  if (outcome !== undefined) return outcome
  throw new GatewayError('invalid_request', `outcome must be one of ${OUTCOMES.join(', ')}.`, {
    param: 'outcome',
  })
}
