import { GatewayError } from '../../../errors/gateway-error.ts'
import type { Role, User } from '../../../gateway/ports/identity.ts'
import { normaliseEmail } from '../../../rules/access/email-address.ts'
import type { AccountApiParts } from './account-parts.ts'
import { MemberBody } from './account-schema.ts'
import { ACCOUNT_PATH, type ConsoleEndpoint } from './console-endpoint.ts'
import { bodyReader } from './parts.ts'

const MEMBERS = `${ACCOUNT_PATH}/members` as const

export function accountMemberEndpoints(parts: AccountApiParts): ConsoleEndpoint[] {
  return [listMembers(parts), addMember(parts), removeMember(parts)]
}

function listMembers({ users, operations }: AccountApiParts): ConsoleEndpoint {
  return {
    method: 'GET',
    path: MEMBERS,
    access: 'owner',
    handle: async (_, { accountId }) => {
      await operations.findAccount(accountId)
      const members = await users.listMembers(accountId)
      return Response.json({ data: members.map(renderMember), next_cursor: null })
    },
  }
}

function addMember({ users, operations }: AccountApiParts): ConsoleEndpoint {
  const readBody = bodyReader(MemberBody)
  return {
    method: 'POST',
    path: MEMBERS,
    access: 'owner',
    handle: async (exchange, { accountId, actor }) => {
      const { email, role } = await readBody(exchange)
      await operations.findAccount(accountId)
      if (role !== 'owner') requireOtherOwner(await users.listMembers(accountId), email)
      const user = await users.addMember(accountId, { email, role }, actor)
      return Response.json(renderMember({ user, role }))
    },
  }
}

/** Adding somebody again changes their role, and an account without an owner could be given none by anybody. */
function requireOtherOwner(
  members: readonly { readonly user: User; readonly role: Role }[],
  email: string,
): void {
  const owners = members.filter(({ role }) => role === 'owner')
  if (owners.length !== 1 || owners[0]?.user.email !== normaliseEmail(email)) return
  throw new GatewayError('invalid_request', 'An account keeps at least one owner.', { param: 'role' })
}

function removeMember({ users, operations }: AccountApiParts): ConsoleEndpoint {
  return {
    method: 'DELETE',
    path: `${MEMBERS}/:user` as const,
    access: 'owner',
    handle: async ({ params }, { accountId, actor }) => {
      const id = params.user ?? ''
      await operations.findAccount(accountId)
      await users.removeMember(accountId, id, actor)
      return Response.json({ id, deleted: true })
    },
  }
}

function renderMember({ user, role }: { readonly user: User; readonly role: Role }): object {
  return { user_id: user.id, email: user.email, name: user.name, role }
}
