import { Member, MemberAdd } from '../../../../vocabulary/user.ts'
import { DELETED, one, wholeListOf } from '../../endpoint.ts'
import { ACCOUNT_PATH, consoleDefiner, MAX_FORM_BYTES } from '../console-endpoint.ts'
import type { AccountApiParts } from './parts.ts'

const define = consoleDefiner<AccountApiParts>()
const common = { tag: 'Console: members', access: 'manage-account' } as const

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
]
