import type { Endpoint } from '../../gateway/ports/exchange.ts'
import type { Operations, TierEvaluation } from '../../gateway/ports/operations.ts'
import { actorOf, OPERATOR_PATH } from './address.ts'
import { bodyReader } from './read-body.ts'
import { idOf, readOptionalTime } from './read-values.ts'
import { renderAccount } from './render.ts'
import { TierBody } from './schema.ts'

const ACCOUNT_TIER = `${OPERATOR_PATH}/accounts/:id/tier`

export function tierEndpoints(operations: Operations): Endpoint[] {
  return [
    assignTier(operations),
    {
      method: 'DELETE',
      path: ACCOUNT_TIER,
      handle: async (exchange) =>
        Response.json(renderAccount(await operations.endTierAssignment(idOf(exchange), actorOf(exchange)))),
    },
    {
      method: 'POST',
      path: `${OPERATOR_PATH}/tiers/evaluate`,
      handle: async (exchange) =>
        Response.json(renderEvaluation(await operations.evaluateTiers(actorOf(exchange)))),
    },
  ]
}

function assignTier(operations: Operations): Endpoint {
  const readBody = bodyReader(TierBody)
  return {
    method: 'PUT',
    path: ACCOUNT_TIER,
    handle: async (exchange) => {
      const { tier, rpm = null, tpm = null, expires_at, reason } = await readBody(exchange)
      const change = { tier, rpm, tpm, reason, expiresAtMs: readOptionalTime(expires_at, 'expires_at') }
      return Response.json(
        renderAccount(await operations.assignTier(idOf(exchange), change, actorOf(exchange))),
      )
    },
  }
}

function renderEvaluation({ evaluated, raised }: TierEvaluation): object {
  return {
    evaluated,
    raised: raised.map(({ accountId, from, to }) => ({ account_id: accountId, from, to })),
  }
}
