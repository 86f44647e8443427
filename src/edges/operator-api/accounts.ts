import type { Endpoint } from '../../gateway/ports/exchange.ts'
import type { Operations } from '../../gateway/ports/operations.ts'
import { actorOf, OPERATOR_PATH } from './address.ts'
import { listEndpoint } from './list-endpoint.ts'
import { bodyReader } from './read-body.ts'
import { idOf, readOptionalAmount } from './read-values.ts'
import { renderAccount, renderListing } from './render.ts'
import { AccountBody, AccountChangeBody } from './schema.ts'

const ACCOUNTS = `${OPERATOR_PATH}/accounts`
const ACCOUNT = `${ACCOUNTS}/:id`

export function accountEndpoints(operations: Operations): Endpoint[] {
  return [
    createAccount(operations),
    listEndpoint({ path: ACCOUNTS }, async (page) =>
      renderListing(await operations.listAccounts(page), renderAccount),
    ),
    {
      method: 'GET',
      path: ACCOUNT,
      handle: async (exchange) => Response.json(renderAccount(await operations.findAccount(idOf(exchange)))),
    },
    changeAccount(operations),
  ]
}

function createAccount(operations: Operations): Endpoint {
  const readBody = bodyReader(AccountBody)
  return {
    method: 'POST',
    path: ACCOUNTS,
    handle: async (exchange) => {
      const { name, email = null } = await readBody(exchange)
      return Response.json(renderAccount(await operations.createAccount({ name, email }, actorOf(exchange))))
    },
  }
}

function changeAccount(operations: Operations): Endpoint {
  const readBody = bodyReader(AccountChangeBody)
  return {
    method: 'PATCH',
    path: ACCOUNT,
    handle: async (exchange) => {
      const { name, credit_line, balance_alert } = await readBody(exchange)
      const change = {
        ...(name !== undefined && { name }),
        ...(credit_line !== undefined && { creditLineNano: readOptionalAmount(credit_line, 'credit_line') }),
        ...(balance_alert !== undefined && {
          balanceAlertNano: readOptionalAmount(balance_alert, 'balance_alert'),
        }),
      }
      const view = await operations.changeAccount(idOf(exchange), change, actorOf(exchange))
      return Response.json(renderAccount(view))
    },
  }
}
