import { sql } from 'kysely'
import type { NewUser } from '../../../../manage/ports/identity.ts'
import { sessionEndMs } from '../../../../rules/access/console-session.ts'
import { text, time } from '../../../../vocabulary/field.ts'
import { shape } from '../../../../vocabulary/shape.ts'
import {
  Member,
  type Membership,
  SecondFactor,
  Session,
  StoredUser,
  User,
} from '../../../../vocabulary/user.ts'
import type { Role } from '../../../../vocabulary/words.ts'
import type { Database } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import type { StoreMethods } from '../../store.ts'
import { StoredMembership } from '../../stored-shapes.ts'
import { tableOf } from '../../table.ts'
import { withEvent, writeAuditEvent } from '../supply/audit-events.ts'
import { SEALED_COLUMNS } from '../supply/sealed-columns.ts'
import { listUsers, selectUsers } from './user-list.ts'

const USERS = tableOf('users', StoredUser, { key: ['id'] })
const MEMBERSHIPS = tableOf('memberships', StoredMembership, { key: ['user_id', 'account_id'] })
const StoredSession = Session.with('StoredSession', { endsAtMs: time() })
const SESSIONS = tableOf('sessions', StoredSession, { key: ['id'], order: ['created_at_ms', 'id'] })
const SealedFactor = SecondFactor.without('SealedFactor', ['secret']).with('SealedFactor', {
  sealedSecret: text(),
})
const FACTORS = tableOf('user_factors', SealedFactor, { key: ['user_id'] })
const RecoveryCode = shape('RecoveryCode', { userId: text(), codeHash: text() })
const RECOVERY_CODES = tableOf('user_recovery_codes', RecoveryCode, { key: ['user_id', 'code_hash'] })

/** False when the address has a user already. */
export async function insertUser(
  tx: Database,
  { user, passwordHash, memberships }: NewUser,
): Promise<boolean> {
  if (!(await USERS.insert(tx, { ...user, passwordHash }, ['email']))) return false
  for (const membership of memberships) await saveMembership(tx, membership)
  return true
}

export function saveMembership(tx: Database, membership: Membership): Promise<void> {
  return MEMBERSHIPS.save(tx, storeRole(membership))
}

/**
 * Ends a user's link to a new password, if it is this one. The row stays, because it says when the last mail was sent;
 * the id is no hash of any token. Tells whether there was one.
 */
export async function endReset(
  tx: Database,
  { userId, tokenHash }: { readonly userId: string; readonly tokenHash?: string },
): Promise<boolean> {
  const ending = queryOn(tx)
    .updateTable('password_resets')
    .set({ token_hash: userId })
    .where('user_id', '=', userId)
    .returning('user_id')
  const ended = tokenHash === undefined ? ending : ending.where('token_hash', '=', tokenHash)
  return (await ended.execute()).length === 1
}

export const userStore = {
  createUser: ({ database }, made, event) => withEvent(database, event, (tx) => insertUser(tx, made)),
  // Only the given fields change: the caller may have read an older password.
  changeUser: ({ database }, ...[id, change, event]) =>
    withEvent(database, event, async (tx) => {
      await USERS.change(tx, { id }, change)
      // A link to a new password ends with the password it was for.
      if (change.passwordHash === undefined) return
      await endReset(tx, { userId: id })
    }),
  findUser: ({ database }, id) => findUserBy(database, 'id', id),
  findUserByEmail: ({ database }, email) => findUserBy(database, 'email', email),
  findUserByOutsideId: ({ database }, outsideId) => findUserBy(database, 'outside_id', outsideId),
  findPasswordHash: async ({ database }, id) => (await USERS.find(database, { id }))?.passwordHash ?? null,
  listUsers: ({ database }, page, query = {}) => listUsers(database, page, query),
  // For audit events without a change.
  writeEvent: ({ database }, event) => database.transaction((tx) => writeAuditEvent(tx, event)),
} satisfies Partial<StoreMethods>

/** The user with this value in a unique column. */
async function findUserBy(
  database: Database,
  column: 'id' | 'email' | 'outside_id',
  value: string,
): Promise<User | null> {
  const row = await selectUsers(database).where(column, '=', value).executeTakeFirst()
  return row === undefined ? null : User.fromRow(row)
}

export const membershipStore = {
  saveMembership: ({ database }, membership, event) =>
    withEvent(database, event, (tx) => saveMembership(tx, membership)),
  deleteMembership: ({ database }, { userId, accountId }, event) =>
    withEvent(database, event, async (tx) => {
      await MEMBERSHIPS.remove(tx, { userId, accountId })
    }),
  listMembershipsOf: async ({ database }, userId) =>
    (await MEMBERSHIPS.list(database, { userId })).map(readRole),
  listMembersOf: async ({ database }, accountId) => {
    const rows = await queryOn(database)
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select(['email', 'name', 'user_id', 'role', 'member_role'])
      .where('account_id', '=', accountId)
      .orderBy('created_at_ms')
      .orderBy('id')
      .execute()
    return rows.map(({ member_role, ...row }) =>
      Member.fromRow({ ...row, role: roleOf(row.role, member_role) }),
    )
  },
} satisfies Partial<StoreMethods>

function storeRole({ role, ...membership }: Membership): StoredMembership {
  const isOwner = role === 'owner'
  return { ...membership, role: isOwner ? 'owner' : 'member', memberRole: isOwner ? null : role }
}

function readRole({ role, memberRole, ...membership }: StoredMembership): Membership {
  return { ...membership, role: roleOf(role, memberRole) }
}

/** Members of earlier versions are developers. */
function roleOf(role: StoredMembership['role'], memberRole: Role | null): Role {
  return role === 'owner' ? 'owner' : (memberRole ?? 'developer')
}

/** Sessions, second factors and recovery codes. */
export const sessionStore = {
  saveSession: ({ database }, session, event) =>
    withEvent(database, event, async (tx) => {
      const overMs = BigInt(session.createdAtMs)
      await queryOn(tx).deleteFrom('sessions').where('ends_at_ms', '<=', overMs).execute()
      await SESSIONS.insert(tx, { ...session, endsAtMs: sessionEndMs(session) })
    }),
  findSession: async ({ database }, tokenHash) => {
    const found = await SESSIONS.find(database, { tokenHash })
    return found && withoutEnd(found)
  },
  listSessions: async ({ database }, userId, nowMs) => {
    const sessions = await SESSIONS.list(database, { userId })
    const living = sessions.filter(({ endsAtMs }) => endsAtMs > nowMs)
    return living.reverse().map(withoutEnd)
  },
  touchSession: async ({ database }, session, lastSeenAtMs) => {
    const endsAtMs = sessionEndMs({ ...session, lastSeenAtMs })
    await SESSIONS.change(database, { id: session.id }, { lastSeenAtMs, endsAtMs })
  },
  renewSession: async ({ database }, id, tokenHash) => {
    await SESSIONS.change(database, { id }, { tokenHash })
  },
  endSessions: ({ database }, which, event) =>
    withEvent(database, event, async (tx) => {
      if ('only' in which) return SESSIONS.remove(tx, { userId: which.userId, id: which.only })
      await queryOn(tx)
        .updateTable('users')
        .set(({ ref }) => ({ device_generation: sql<bigint>`${ref('device_generation')} + 1` }))
        .where('id', '=', which.userId)
        .execute()
      const ended = await queryOn(tx)
        .deleteFrom('sessions')
        .where('user_id', '=', which.userId)
        .where('id', '<>', which.except ?? '')
        .returning('id')
        .execute()
      return ended.length
    }),

  findSecondFactor: async ({ database, secrets }, userId) => {
    const found = await FACTORS.find(database, { userId })
    if (found === null) return null
    const { sealedSecret, ...factor } = found
    return { ...factor, secret: secrets.open(sealedSecret, { ...SEALED_COLUMNS.factors, id: userId }) }
  },
  saveSecondFactor: ({ database, secrets }, ...[factor, recoveryHashes, event]) =>
    withEvent(database, event, async (tx) => {
      const { userId, secret } = factor
      await FACTORS.save(tx, {
        ...factor,
        sealedSecret: secrets.seal(secret, { ...SEALED_COLUMNS.factors, id: userId }),
      })
      await RECOVERY_CODES.remove(tx, { userId })
      for (const codeHash of recoveryHashes) await RECOVERY_CODES.insert(tx, { userId, codeHash })
    }),
  deleteSecondFactor: ({ database }, userId, event) =>
    withEvent(database, event, async (tx) => {
      await RECOVERY_CODES.remove(tx, { userId })
      await FACTORS.remove(tx, { userId })
    }),
  // Of several concurrent attempts, on any node, one succeeds.
  takeStep: async ({ database }, userId, step) => {
    const rows = await queryOn(database)
      .updateTable('user_factors')
      .set({ last_step: BigInt(step) })
      .where('user_id', '=', userId)
      .where('last_step', '<', BigInt(step))
      .returning('user_id')
      .execute()
    return rows.length === 1
  },
  takeRecoveryCode: async ({ database }, userId, codeHash) =>
    (await RECOVERY_CODES.remove(database, { userId, codeHash })) === 1,
} satisfies Partial<StoreMethods>

function withoutEnd({ endsAtMs: _, ...session }: Session & { readonly endsAtMs: number }): Session {
  return session
}
