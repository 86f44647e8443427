import { GatewayError } from '../../errors/gateway-error.ts'
import { normaliseEmail } from '../../rules/access/sign-in-rules.ts'
import { encodeBase32 } from '../../rules/access/totp.ts'
import type {
  IssuedUser,
  Member,
  Membership,
  User,
  UserChange,
  UserCreate,
  UserView,
} from '../../vocabulary/user.ts'
import type { UserOperations } from '../ports/identity.ts'
import { createInvite, revokeInvite } from './by-link/invites.ts'
import type { IdentityParts } from './parts.ts'
import { hashNewPassword } from './passwords.ts'
import { removeSecondFactor } from './second-factor.ts'
import { addressInUse, newUser, requireEmail, requireName } from './sign-up.ts'

// A hundred bits, in letters that are not easily confused.
const PASSWORD_BYTES = 15
const OPERATORS_WISH = { param: 'password', asker: 'known' } as const

/** User operations for operators, and member operations for owners. */
export function userOperations(parts: IdentityParts): UserOperations {
  const { store } = parts
  return {
    listUsers: async (page, query = {}) => {
      const listing = await store.listUsers(page, query)
      return { ...listing, data: await Promise.all(listing.data.map((user) => viewUser(parts, user))) }
    },
    createUser: (input, actor) => createUser(parts, input, actor),
    changeUser: (id, change, actor) => changeUser(parts, { id, ...change }, actor),
    resetPassword: (id, password, actor) => resetPassword(parts, { id, password }, actor),
    listMembers: (accountId) => store.listMembersOf(accountId),
    addMember: (accountId, member, actor) => addMember(parts, { accountId, ...member }, actor),
    removeMember: (accountId, userId, actor) => removeMember(parts, { accountId, userId }, actor),
    listInvites: (accountId) => store.listInvites(accountId, parts.clock.nowMs()),
    createInvite: (input, by) => createInvite(parts, input, by),
    revokeInvite: (which, actor) => revokeInvite(parts, which, actor),
  }
}

async function createUser(parts: IdentityParts, input: UserCreate, actor: string): Promise<IssuedUser> {
  const { store, audit, accounts } = parts
  const { accountId, role, isOperator } = input
  const email = requireEmail(input.email)
  if (accountId !== null && !accounts.has(accountId)) {
    throw new GatewayError('invalid_request', `There is no account "${accountId}".`, { param: 'account_id' })
  }
  const made = input.password === undefined ? makePassword(parts) : null
  const password = made ?? input.password ?? null
  const passwordHash =
    password === null ? null : await hashNewPassword(parts, password, { email, ...OPERATORS_WISH })
  const facts = { email, name: requireName(input.name), hasPassword: password !== null, outsideId: null }
  const user = { ...newUser(parts, { ...facts, isEmailVerified: true }), isOperator }
  const memberships = accountId === null ? [] : [{ userId: user.id, accountId, role }]
  const after = { email, is_operator: isOperator, accounts: memberships.map((each) => each.accountId) }
  const event = audit.event({ actor, action: 'user.created', subject: user.id, after })
  if (!(await store.createUser({ user, passwordHash, memberships }, event))) throw addressInUse()
  return { ...user, accounts: memberships, password: made }
}

/** Users whose permissions change have to sign in again. */
async function changeUser(
  parts: IdentityParts,
  { id, hasSecondFactor, ...wanted }: UserChange & { readonly id: string },
  actor: string,
): Promise<UserView> {
  const user = await requireUser(parts, id)
  const { isOperator, isDisabled, name } = { ...user, ...wanted }
  const change = { ...wanted, ...(wanted.name !== undefined && { name: requireName(name) }) }
  const event = parts.audit.event({
    actor,
    action: 'user.changed',
    subject: id,
    before: describe(user),
    after: describe({ ...user, ...change }),
  })
  await parts.store.changeUser(id, change, event)
  if (hasSecondFactor === false && user.hasSecondFactor) await removeSecondFactor(parts, user, actor)
  const isMovedInRank = isOperator !== user.isOperator || isDisabled !== user.isDisabled
  if (isMovedInRank) await parts.sessions.endAll(id, null, actor)
  parts.sessions.forget(id)
  return viewUser(parts, await requireUser(parts, id))
}

async function resetPassword(
  parts: IdentityParts,
  { id, password }: { readonly id: string; readonly password: string | undefined },
  actor: string,
): Promise<IssuedUser> {
  const { email } = await requireUser(parts, id)
  const made = password === undefined ? makePassword(parts) : null
  const passwordHash = await hashNewPassword(parts, made ?? password ?? '', { email, ...OPERATORS_WISH })
  const event = parts.audit.event({ actor, action: 'user.password_reset', subject: id })
  await parts.store.changeUser(id, { passwordHash }, event)
  await parts.sessions.endAll(id, null, actor)
  return { ...(await viewUser(parts, await requireUser(parts, id))), password: made }
}

async function addMember(
  parts: IdentityParts,
  { accountId, role, ...wanted }: Pick<Member, 'email' | 'role'> & { readonly accountId: string },
  actor: string,
): Promise<Member> {
  const email = normaliseEmail(wanted.email)
  if (role !== 'owner') requireOtherOwner(await parts.store.listMembersOf(accountId), email)
  const user = email === null ? null : await parts.store.findUserByEmail(email)
  if (user === null) {
    throw new GatewayError(
      'invalid_request',
      'No user has this e-mail address. They have to sign up first.',
      {
        param: 'email',
      },
    )
  }
  const auditEntry = { actor, action: 'member.added', subject: accountId }
  const event = parts.audit.event({ ...auditEntry, after: { user: user.id, role } })
  await parts.store.saveMembership({ userId: user.id, accountId, role }, event)
  parts.sessions.forget(user.id)
  return { ...user, userId: user.id, role }
}

/** Adding a member again changes the role; the last owner must stay an owner. */
function requireOtherOwner(members: readonly Member[], email: string | null): void {
  const owners = members.filter(({ role }) => role === 'owner')
  if (owners.length !== 1 || owners[0]?.email !== email) return
  throw new GatewayError('invalid_request', 'An account must have at least one owner.', { param: 'role' })
}

async function removeMember(
  parts: IdentityParts,
  { accountId, userId }: Omit<Membership, 'role'>,
  actor: string,
): Promise<void> {
  const members = await parts.store.listMembersOf(accountId)
  const member = members.find((candidate) => candidate.userId === userId)
  if (member === undefined) throw new GatewayError('not_found', 'The account has no such member.')
  const owners = members.filter(({ role }) => role === 'owner')
  if (member.role === 'owner' && owners.length === 1) {
    throw new GatewayError('invalid_request', 'An account must have at least one owner.')
  }
  const auditEntry = { actor, action: 'member.removed', subject: accountId }
  const event = parts.audit.event({ ...auditEntry, before: { user: userId, role: member.role } })
  await parts.store.deleteMembership({ accountId, userId }, event)
  parts.sessions.forget(userId)
}

async function viewUser({ store }: IdentityParts, user: User): Promise<UserView> {
  return { ...user, accounts: await store.listMembershipsOf(user.id) }
}

async function requireUser({ store }: IdentityParts, id: string): Promise<User> {
  const user = await store.findUser(id)
  if (user === null) throw new GatewayError('not_found', `There is no user "${id}".`)
  return user
}

function describe({ name, isOperator, isDisabled }: User) {
  return { name, is_operator: isOperator, disabled: isDisabled }
}

function makePassword({ random }: IdentityParts): string {
  return encodeBase32(random.bytes(PASSWORD_BYTES))
    .toLowerCase()
    .replace(/(.{6})(?=.)/g, '$1-')
}
