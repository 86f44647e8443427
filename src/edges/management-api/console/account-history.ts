import type { BodyStorage } from '../../../gateway/ports/console.ts'
import type { Exchange } from '../../../gateway/ports/exchange.ts'
import { type AccountApiParts, idOf, showAnswerTo } from './account-parts.ts'
import { BodyStorageBody } from './account-schema.ts'
import { ACCOUNT_PATH, type ConsoleEndpoint } from './console-endpoint.ts'
import { narrowQuery } from './forward.ts'
import { bodyReader } from './parts.ts'

const SETTLEMENTS = `${ACCOUNT_PATH}/settlements` as const
const BODY_STORAGE = `${ACCOUNT_PATH}/body-storage` as const

/** What has happened in an account. */
export function accountHistoryEndpoints(parts: AccountApiParts): ConsoleEndpoint[] {
  return [
    listSettlements(parts),
    showSettlement(parts),
    ofAccount(parts, 'ledger'),
    ofAccount(parts, 'payments'),
    exportOf(parts, 'settlements'),
    exportOf(parts, 'ledger'),
    showBody(parts),
    showBodyStorage(parts),
    setBodyStorage(parts),
  ]
}

function listSettlements(parts: AccountApiParts): ConsoleEndpoint {
  const forward = parts.forwardTo('GET /settlements')
  return {
    method: 'GET',
    path: SETTLEMENTS,
    access: 'member',
    handle: async (exchange, visit) => {
      requireOwnFilter(parts, exchange, visit.accountId)
      const query = narrowQuery(exchange, { account: visit.accountId }, { key_id: 'key' })
      return showAnswerTo(parts, visit, await forward(exchange, { query }))
    },
  }
}

function requireOwnFilter({ desk }: AccountApiParts, { query }: Exchange, accountId: string): void {
  for (const keyId of query.getAll('key_id')) desk.requireKey(accountId, keyId)
}

function showSettlement(parts: AccountApiParts): ConsoleEndpoint {
  const forward = parts.forwardTo('GET /settlements/:id')
  return {
    method: 'GET',
    path: `${SETTLEMENTS}/:id` as const,
    access: 'member',
    handle: async (exchange, visit) => {
      const id = idOf(exchange)
      await parts.desk.requireSettlement(visit.accountId, id)
      return showAnswerTo(parts, visit, await forward(exchange, { params: { id } }))
    },
  }
}

function ofAccount({ forwardTo }: AccountApiParts, thing: 'ledger' | 'payments'): ConsoleEndpoint {
  const forward = forwardTo(`GET /accounts/:id/${thing}`)
  return {
    method: 'GET',
    path: `${ACCOUNT_PATH}/${thing}` as const,
    access: 'member',
    handle: (exchange, { accountId }) => forward(exchange, { params: { id: accountId } }),
  }
}

function exportOf(parts: AccountApiParts, thing: 'settlements' | 'ledger'): ConsoleEndpoint {
  const forward = parts.forwardTo(`GET /exports/${thing}`)
  return {
    method: 'GET',
    path: `${ACCOUNT_PATH}/exports/${thing}` as const,
    access: 'member',
    handle: (exchange, { accountId }) => {
      requireOwnFilter(parts, exchange, accountId)
      return forward(exchange, { query: narrowQuery(exchange, { account_id: accountId }) })
    },
  }
}

function showBody({ desk }: AccountApiParts): ConsoleEndpoint {
  return {
    method: 'GET',
    path: `${ACCOUNT_PATH}/bodies/:id` as const,
    access: 'member',
    handle: async (exchange, { accountId }) => {
      const body = await desk.findBody(accountId, idOf(exchange))
      return Response.json({
        request: body.request,
        response: body.response,
        request_cut: body.isRequestCut,
        response_cut: body.isResponseCut,
      })
    },
  }
}

function showBodyStorage({ desk }: AccountApiParts): ConsoleEndpoint {
  return {
    method: 'GET',
    path: BODY_STORAGE,
    access: 'member',
    handle: (_, { accountId }) => renderBodyStorage(desk.bodyStorage(accountId)),
  }
}

function setBodyStorage({ desk }: AccountApiParts): ConsoleEndpoint {
  const readBody = bodyReader(BodyStorageBody)
  return {
    method: 'PUT',
    path: BODY_STORAGE,
    access: 'member',
    handle: async (exchange, { accountId, actor }) => {
      const { enabled, days = desk.bodyStorage(accountId).days } = await readBody(exchange)
      return renderBodyStorage(await desk.setBodyStorage({ accountId, enabled, days }, actor))
    },
  }
}

function renderBodyStorage({ enabled, days }: BodyStorage): Response {
  return Response.json({ enabled, days })
}
