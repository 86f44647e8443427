import type { Exchange } from '../../../gateway/ports/exchange.ts'
import {
  type BodyStorage,
  BodyStorageChange,
  BodyStorageView,
  KeptContent,
} from '../../../vocabulary/kept-body.ts'
import type { Sent } from '../../../vocabulary/shape.ts'
import { type AccountApiParts, idOf, showAnswerTo } from './account-parts.ts'
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
      return Response.json(KeptContent.show(body))
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
  const readBody = bodyReader(BodyStorageChange.schema)
  return {
    method: 'PUT',
    path: BODY_STORAGE,
    access: 'member',
    handle: async (exchange, { accountId, actor }) => {
      const body = (await readBody(exchange)) as Sent<typeof BodyStorageChange>
      const { isEnabled, days = desk.bodyStorage(accountId).days } = BodyStorageChange.read(body)
      return renderBodyStorage(await desk.setBodyStorage({ accountId, isEnabled, days }, actor))
    },
  }
}

function renderBodyStorage(setting: BodyStorage): Response {
  return Response.json(BodyStorageView.show(setting))
}
