import type { Endpoint } from '../../../gateway/ports/exchange.ts'
import type { IssuedPassword, UserInput, UserOperations, UserView } from '../../../gateway/ports/identity.ts'
import { formatTime } from '../../../vocabulary/time.ts'
import { actorOf, OPERATOR_PATH } from './address.ts'
import { listEndpoint } from './list-endpoint.ts'
import { bodyReader } from './read-body.ts'
import { idOf } from './read-values.ts'
import { renderListing } from './render.ts'
import { PasswordResetBody, UserBody, UserChangeBody } from './users-schema.ts'

const USERS = `${OPERATOR_PATH}/users`
const USER = `${USERS}/:id`

export function userEndpoints(users: UserOperations): Endpoint[] {
  return [
    listEndpoint({ path: USERS }, async (page) => renderListing(await users.listUsers(page), renderUser)),
    createUser(users),
    changeUser(users),
    resetPassword(users),
  ]
}

function createUser(users: UserOperations): Endpoint {
  const readBody = bodyReader(UserBody)
  return {
    method: 'POST',
    path: USERS,
    handle: async (exchange) => {
      const body = await readBody(exchange)
      const { email, name = email, is_operator = false, account_id = null, role = 'owner' } = body
      const input = {
        email,
        name,
        password: readPassword(body.password),
        isOperator: is_operator,
        memberships: account_id === null ? [] : [{ accountId: account_id, role }],
      }
      return renderIssued(await users.createUser(input, actorOf(exchange)))
    },
  }
}

function readPassword(text: string | null | undefined): UserInput['password'] {
  if (text === undefined) return 'generate'
  return text === null ? 'none' : { given: text }
}

function changeUser(users: UserOperations): Endpoint {
  const readBody = bodyReader(UserChangeBody)
  return {
    method: 'PATCH',
    path: USER,
    handle: async (exchange) => {
      const { name, is_operator, disabled, totp_enabled } = await readBody(exchange)
      const change = {
        ...(name !== undefined && { name }),
        ...(is_operator !== undefined && { isOperator: is_operator }),
        ...(disabled !== undefined && { isDisabled: disabled }),
        ...(totp_enabled !== undefined && { hasSecondFactor: totp_enabled }),
      }
      return Response.json(renderUser(await users.changeUser(idOf(exchange), change, actorOf(exchange))))
    },
  }
}

function resetPassword(users: UserOperations): Endpoint {
  const readBody = bodyReader(PasswordResetBody)
  return {
    method: 'POST',
    path: `${USER}/password`,
    handle: async (exchange) => {
      const { password = null } = await readBody(exchange)
      return renderIssued(await users.resetPassword(idOf(exchange), password, actorOf(exchange)))
    },
  }
}

function renderIssued({ newPassword, ...view }: IssuedPassword): Response {
  return Response.json({ ...renderUser(view), password: newPassword })
}

function renderUser({ user, memberships }: UserView): object {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    is_operator: user.isOperator,
    disabled: user.isDisabled,
    has_password: user.hasPassword,
    totp_enabled: user.hasSecondFactor,
    accounts: memberships.map(({ accountId, role }) => ({ id: accountId, role })),
    created_at: formatTime(user.createdAtMs),
  }
}
