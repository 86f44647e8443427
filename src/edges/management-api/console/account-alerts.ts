import { type AccountApiParts, showAnswerTo } from './account-parts.ts'
import { ACCOUNT_PATH, type ConsoleEndpoint } from './console-endpoint.ts'
import { narrowQuery } from './forward.ts'

const WEBHOOK = `${ACCOUNT_PATH}/webhook` as const

export function accountAlertEndpoints(parts: AccountApiParts): ConsoleEndpoint[] {
  return [
    listAlerts(parts),
    ofWebhook(parts, 'GET'),
    ofWebhook(parts, 'PUT'),
    ofWebhook(parts, 'DELETE'),
    testWebhook(parts),
  ]
}

function listAlerts(parts: AccountApiParts): ConsoleEndpoint {
  const forward = parts.forwardTo('GET /alerts')
  return {
    method: 'GET',
    path: `${ACCOUNT_PATH}/alerts` as const,
    access: 'member',
    handle: async (exchange, visit) => {
      const query = narrowQuery(exchange, { account_id: visit.accountId })
      return showAnswerTo(parts, visit, await forward(exchange, { query }))
    },
  }
}

function ofWebhook({ forwardTo }: AccountApiParts, method: 'GET' | 'PUT' | 'DELETE'): ConsoleEndpoint {
  const forward = forwardTo(`${method} /accounts/:id/webhook`)
  return {
    method,
    path: WEBHOOK,
    access: 'owner',
    handle: (exchange, { accountId }) => forward(exchange, { params: { id: accountId } }),
  }
}

function testWebhook({ desk }: AccountApiParts): ConsoleEndpoint {
  return {
    method: 'POST',
    path: `${WEBHOOK}/test` as const,
    access: 'owner',
    handle: async (_, { accountId }) => {
      const failure = await desk.testWebhook(accountId)
      return Response.json({ delivered: failure === null, failure })
    },
  }
}
