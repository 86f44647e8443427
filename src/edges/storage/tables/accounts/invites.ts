import { GatewayError } from '../../../../errors/gateway-error.ts'
import { StoredInvite, StoredReset } from '../../../../vocabulary/people/invite.ts'
import { queryOn } from '../../query.ts'
import type { StoreMethods } from '../../store.ts'
import { tableOf } from '../../table.ts'
import { withEvent } from '../supply/audit-events.ts'
import { endReset, insertUser, saveMembership } from './identity.ts'

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

  findResetByToken: async ({ database }, tokenHash) => RESETS.find(database, { tokenHash }),
  // One statement, so that of several at the same time, on any node, one succeeds.
  saveReset: ({ database }, { reset, replacesUntilMs }, event) =>
    withEvent(database, event, async (tx) => {
      const [token_hash, expires_at_ms] = [reset.tokenHash, BigInt(reset.expiresAtMs)]
      const saved = await queryOn(tx)
        .insertInto('password_resets')
        .values({ user_id: reset.userId, token_hash, expires_at_ms })
        .onConflict((conflict) =>
          conflict
            .column('user_id')
            .doUpdateSet({ token_hash, expires_at_ms })
            .where('password_resets.expires_at_ms', '<=', BigInt(replacesUntilMs)),
        )
        .returning('user_id')
        .execute()
      return saved.length === 1
    }),
  takeReset: ({ database }, reset) => endReset(database, reset),
} satisfies Partial<StoreMethods>
