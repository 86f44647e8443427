import type { Membership, Role, User } from '../../../gateway/ports/identity.ts'
import type { Database } from '../database.ts'
import { upsertRow } from '../statements.ts'
import { decodeUser, USER_COLUMNS, type UserRow } from './users.ts'

const MEMBERSHIPS = { name: 'memberships', key: ['user_id', 'account_id'] }

export function saveMembership(tx: Database, { userId, accountId, role }: Membership): Promise<void> {
  return upsertRow(tx, MEMBERSHIPS, { user_id: userId, account_id: accountId, role })
}

export async function deleteMembership(tx: Database, member: Omit<Membership, 'role'>): Promise<void> {
  await tx.rows('delete from memberships where user_id = $1 and account_id = $2', [
    member.userId,
    member.accountId,
  ])
}

export async function listMembershipsOf(database: Database, userId: string): Promise<Membership[]> {
  const rows = await database.rows<{ account_id: string; role: Role }>(
    'select account_id, role from memberships where user_id = $1 order by account_id',
    [userId],
  )
  return rows.map(({ account_id, role }) => ({ userId, accountId: account_id, role }))
}

export async function listMembersOf(
  database: Database,
  accountId: string,
): Promise<{ readonly user: User; readonly role: Role }[]> {
  const rows = await database.rows<UserRow & { role: Role }>(
    `select ${USER_COLUMNS}, memberships.role from memberships join users on users.id = memberships.user_id
    where memberships.account_id = $1 order by users.created_at_ms, users.id`,
    [accountId],
  )
  return rows.map((row) => ({ user: decodeUser(row), role: row.role }))
}
