import { Invite, InviteCreate, IssuedInvite } from '../../../../vocabulary/people/invite.ts'
import { Member, MemberAdd } from '../../../../vocabulary/user.ts'
import { DELETED, one, wholeListOf } from '../../endpoint.ts'
import { ACCOUNT_PATH, consoleDefiner, MAX_FORM_BYTES } from '../console-endpoint.ts'
import type { AccountApiParts } from './parts.ts'

const define = consoleDefiner<AccountApiParts>()
const common = { tag: 'Console: members', access: 'manage-account' } as const
const INVITES = `${ACCOUNT_PATH}/invites` as const

export const accountMemberEndpoints = [
  define({
    ...common,
    method: 'GET',
    path: `${ACCOUNT_PATH}/members`,
    id: 'consoleListMembers',
    summary: 'List the members of the account',
    answer: wholeListOf(Member, 'All members.'),
    handle: async ({ users, operations }, { visit }) => {
      await operations.findAccount(visit.accountId)
      return users.listMembers(visit.accountId)
    },
  }),
  define({
    ...common,
    method: 'POST',
    path: `${ACCOUNT_PATH}/members`,
    id: 'consoleAddMember',
    summary: 'Add a member, or change the role of one',
    body: MemberAdd,
    maxBodyBytes: MAX_FORM_BYTES,
    answer: one(Member, 'The member.'),
    handle: async ({ users, operations }, { body, visit }) => {
      await operations.findAccount(visit.accountId)
      return users.addMember(visit.accountId, body, visit.actor)
    },
  }),
  define({
    ...common,
    method: 'DELETE',
    path: `${ACCOUNT_PATH}/members/:user`,
    id: 'consoleRemoveMember',
    summary: 'Remove a member',
    description: 'The last owner cannot be removed.',
    answer: DELETED,
    handle: async ({ users, operations }, { params, visit }) => {
      await operations.findAccount(visit.accountId)
      await users.removeMember(visit.accountId, params.user, visit.actor)
      return params.user
    },
  }),
  define({
    ...common,
    method: 'GET',
    path: INVITES,
    id: 'consoleListInvites',
    summary: 'List the open invitations to the account',
    answer: wholeListOf(Invite, 'All open invitations, at most 100.'),
    handle: ({ users }, { visit }) => users.listInvites(visit.accountId),
  }),
  define({
    ...common,
    method: 'POST',
    path: INVITES,
    id: 'consoleCreateInvite',
    summary: 'Invite somebody by a link that works once',
    description: 'The link is mailed when there is an address and the gateway sends mail.',
    body: InviteCreate,
    maxBodyBytes: MAX_FORM_BYTES,
    answer: one(IssuedInvite, 'The invitation, with its token.'),
    handle: async ({ users, operations }, { body, visit: { visitor, accountId } }) => {
      await operations.findAccount(accountId)
      return users.createInvite({ ...body, accountId }, visitor)
    },
  }),
  define({
    ...common,
    method: 'DELETE',
    path: `${INVITES}/:id`,
    id: 'consoleRevokeInvite',
    summary: 'Revoke an invitation',
    answer: DELETED,
    handle: async ({ users }, { params, visit: { accountId, actor } }) => {
      await users.revokeInvite({ accountId, id: params.id }, actor)
      return params.id
    },
  }),
]
