import type { Endpoint } from '../../gateway/ports/exchange.ts'
import type { Operations } from '../../gateway/ports/operations.ts'
import { parseUsdt } from '../../vocabulary/money.ts'
import { OPERATOR_ACTOR, OPERATOR_PATH } from './address.ts'
import { listEndpoint } from './list-endpoint.ts'
import { bodyReader } from './read-body.ts'
import { idOf, readOptionalAmount, readOptionalTime } from './read-values.ts'
import { renderAccount, renderAdjustment, renderListing, renderPayment } from './render.ts'
import { AccountBody, AccountChangeBody, AdjustmentBody, PaymentBody, TierBody } from './schema.ts'

const ACCOUNTS = `${OPERATOR_PATH}/accounts`
const ACCOUNT = `${ACCOUNTS}/:id`

export function accountEndpoints(operations: Operations): Endpoint[] {
  return [
    createAccount(operations),
    listEndpoint({ path: ACCOUNTS }, (page) => renderListing(operations.listAccounts(page), renderAccount)),
    {
      method: 'GET',
      path: ACCOUNT,
      handle: (exchange) => Response.json(renderAccount(operations.findAccount(idOf(exchange)))),
    },
    changeAccount(operations),
    recordPayment(operations),
    recordAdjustment(operations),
    assignTier(operations),
    {
      method: 'DELETE',
      path: `${ACCOUNT}/tier`,
      handle: async (exchange) =>
        Response.json(renderAccount(await operations.endTierAssignment(idOf(exchange), OPERATOR_ACTOR))),
    },
  ]
}

function createAccount(operations: Operations): Endpoint {
  const readBody = bodyReader(AccountBody)
  return {
    method: 'POST',
    path: ACCOUNTS,
    handle: async (exchange) => {
      const { name, email = null } = await readBody(exchange)
      return Response.json(renderAccount(await operations.createAccount({ name, email }, OPERATOR_ACTOR)))
    },
  }
}

function changeAccount(operations: Operations): Endpoint {
  const readBody = bodyReader(AccountChangeBody)
  return {
    method: 'PATCH',
    path: ACCOUNT,
    handle: async (exchange) => {
      const { name, credit_line } = await readBody(exchange)
      const change = {
        ...(name !== undefined && { name }),
        ...(credit_line !== undefined && { creditLineNano: readOptionalAmount(credit_line, 'credit_line') }),
      }
      const view = await operations.changeAccount(idOf(exchange), change, OPERATOR_ACTOR)
      return Response.json(renderAccount(view))
    },
  }
}

function recordPayment(operations: Operations): Endpoint {
  const readBody = bodyReader(PaymentBody)
  return {
    method: 'POST',
    path: `${ACCOUNT}/payments`,
    handle: async (exchange) => {
      const { amount, reference, note = null } = await readBody(exchange)
      const input = { amountNano: parseUsdt(amount, 'amount'), reference, note }
      return Response.json(
        renderPayment(await operations.recordPayment(idOf(exchange), input, OPERATOR_ACTOR)),
      )
    },
  }
}

function recordAdjustment(operations: Operations): Endpoint {
  const readBody = bodyReader(AdjustmentBody)
  return {
    method: 'POST',
    path: `${ACCOUNT}/adjustments`,
    handle: async (exchange) => {
      const { amount, reason } = await readBody(exchange)
      const input = { amountNano: parseUsdt(amount, 'amount'), reason }
      const adjustment = await operations.recordAdjustment(idOf(exchange), input, OPERATOR_ACTOR)
      return Response.json(renderAdjustment(adjustment))
    },
  }
}

function assignTier(operations: Operations): Endpoint {
  const readBody = bodyReader(TierBody)
  return {
    method: 'PUT',
    path: `${ACCOUNT}/tier`,
    handle: async (exchange) => {
      const { tier, rpm = null, tpm = null, expires_at, reason } = await readBody(exchange)
      const change = { tier, rpm, tpm, reason, expiresAtMs: readOptionalTime(expires_at, 'expires_at') }
      return Response.json(renderAccount(await operations.assignTier(idOf(exchange), change, OPERATOR_ACTOR)))
    },
  }
}
