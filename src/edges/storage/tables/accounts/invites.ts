import { GatewayError } from '../../../../errors/gateway-error.ts'
import { StoredInvite, StoredReset } from '../../../../vocabulary/people/invite.ts'
import { queryOn } from '../../query.ts'
import type { StoreMethods } from '../../store.ts'
import { tableOf } from '../../table.ts'
import { withEvent } from '../supply/audit-events.ts'
import { insertUser, saveMembership } from './identity.ts'

const INVITES = tableOf('account_invites', StoredInvite, { key: ['id'], order: ['created_at_ms', 'id'] })
const RESETS = tableOf('password_resets', StoredReset, { key: ['user_id'] })

/** Invitations to accounts, and forgotten passwords. */
export const inviteStore = {
  saveInvite: ({ database }, invite, event) =>
    withEvent(database, event, async (tx) => {
      const overMs = BigInt(invite.createdAtMs)
      await queryOn(tx).deleteFrom('account_invites').where('expires_at_ms', '<=', overMs).execute()
      await INVITES.insert(tx, invite)
    }),
  listInvites: async ({ database }, accountId, nowMs) => {
    const invites = await INVITES.list(database, { accountId })
    return invites.filter(({ expiresAtMs }) => expiresAtMs > nowMs)
  },
  findInvite: ({ database }, tokenHash) => INVITES.find(database, { tokenHash }),
  deleteInvite: ({ database }, { accountId, id }, event) =>
    withEvent(database, event, (tx) => INVITES.remove(tx, { accountId, id })),
  // Of several concurrent attempts, on any node, one removes the row; the others must change nothing.
  acceptInvite: ({ database }, { invite, membership, newUser }, event) =>
    withEvent(database, event, async (tx) => {
      if ((await INVITES.remove(tx, { id: invite.id, tokenHash: invite.tokenHash })) === 0) return false
      if (newUser !== null && !(await insertUser(tx, newUser))) {
        throw new GatewayError(
          'invalid_request',
          'A user with this e-mail address already exists. Sign in first.',
          {
            param: 'email',
          },
        )
      }
      await saveMembership(tx, membership)
      return true
    }),

  findReset: async ({ database }, userId) => RESETS.find(database, { userId }),
  findResetByToken: async ({ database }, tokenHash) => RESETS.find(database, { tokenHash }),
  saveReset: ({ database }, reset, event) => withEvent(database, event, (tx) => RESETS.save(tx, reset)),
  // The row is removed with the change of the password, whoever changes it.
  takeReset: async ({ database }, { userId, tokenHash }) =>
    (await RESETS.remove(database, { userId, tokenHash })) === 1,
} satisfies Partial<StoreMethods>
