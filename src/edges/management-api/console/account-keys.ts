import { IssuedPlaygroundKey } from '../../../vocabulary/user.ts'
import { type AccountApiParts, idOf } from './account-parts.ts'
import { ACCOUNT_PATH, type ConsoleEndpoint } from './console-endpoint.ts'

const KEYS = `${ACCOUNT_PATH}/keys` as const
const KEY = `${KEYS}/:id` as const

export function accountKeyEndpoints(parts: AccountApiParts): ConsoleEndpoint[] {
  return [
    ofAccount(parts, 'GET'),
    ofAccount(parts, 'POST'),
    ofKey(parts, 'GET'),
    ofKey(parts, 'PATCH'),
    ofKey(parts, 'DELETE'),
    ofKey(parts, 'POST', '/rotate'),
    issuePlaygroundKey(parts),
  ]
}

function ofAccount({ forwardTo }: AccountApiParts, method: 'GET' | 'POST'): ConsoleEndpoint {
  const forward = forwardTo(`${method} /accounts/:id/keys`)
  return {
    method,
    path: KEYS,
    access: 'member',
    handle: (exchange, { accountId }) => forward(exchange, { params: { id: accountId } }),
  }
}

function ofKey(
  { desk, forwardTo }: AccountApiParts,
  method: 'GET' | 'PATCH' | 'DELETE' | 'POST',
  rest: '' | '/rotate' = '',
): ConsoleEndpoint {
  const forward = forwardTo(`${method} /keys/:id${rest}`)
  return {
    method,
    path: `${KEY}${rest}` as const,
    access: 'member',
    handle: (exchange, { accountId }) => {
      const id = idOf(exchange)
      desk.requireKey(accountId, id)
      return forward(exchange, { params: { id } })
    },
  }
}

function issuePlaygroundKey({ desk }: AccountApiParts): ConsoleEndpoint {
  return {
    method: 'POST',
    path: `${ACCOUNT_PATH}/playground-key` as const,
    access: 'member',
    handle: async (_, { visitor, accountId, actor }) => {
      const issued = await desk.issuePlaygroundKey({ userId: visitor.user.id, accountId }, actor)
      return Response.json(IssuedPlaygroundKey.show(issued))
    },
  }
}
