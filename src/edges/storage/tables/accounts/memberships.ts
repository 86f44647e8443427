import { Member, Membership } from '../../../../vocabulary/user.ts'
import type { Database } from '../../database.ts'
import { queryOn, upsert } from '../../query.ts'

export function saveMembership(tx: Database, membership: Membership): Promise<void> {
  return upsert(tx, { table: 'memberships', key: ['user_id', 'account_id'] }, Membership.toRow(membership))
}

export async function deleteMembership(tx: Database, member: Omit<Membership, 'role'>): Promise<void> {
  await queryOn(tx)
    .deleteFrom('memberships')
    .where('user_id', '=', member.userId)
    .where('account_id', '=', member.accountId)
    .execute()
}

export async function listMembershipsOf(database: Database, userId: string): Promise<Membership[]> {
  const rows = await queryOn(database)
    .selectFrom('memberships')
    .select(Membership.columns)
    .where('user_id', '=', userId)
    .orderBy('account_id')
    .execute()
  return rows.map((row) => Membership.fromRow(row))
}

export async function listMembersOf(database: Database, accountId: string): Promise<Member[]> {
  const rows = await queryOn(database)
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(Member.columns)
    .where('account_id', '=', accountId)
    .orderBy('created_at_ms')
    .orderBy('id')
    .execute()
  return rows.map((row) => Member.fromRow(row))
}
