import type { SessionChoice } from '../../../../gateway/ports/identity.ts'
import { sessionEndMs } from '../../../../rules/access/session-life.ts'
import { Session } from '../../../../vocabulary/user.ts'
import type { Database } from '../../database.ts'
import { queryOn } from '../../query.ts'

export async function insertSession(tx: Database, session: Session): Promise<void> {
  await queryOn(tx).deleteFrom('sessions').where('ends_at_ms', '<=', BigInt(session.createdAtMs)).execute()
  await queryOn(tx)
    .insertInto('sessions')
    .values({ ...Session.toRow(session), ends_at_ms: BigInt(sessionEndMs(session)) })
    .execute()
}

export async function findSession(database: Database, tokenHash: string): Promise<Session | null> {
  const row = await queryOn(database)
    .selectFrom('sessions')
    .select(Session.columns)
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return row === undefined ? null : Session.fromRow(row)
}

export async function listSessions(database: Database, userId: string, nowMs: number): Promise<Session[]> {
  const rows = await queryOn(database)
    .selectFrom('sessions')
    .select(Session.columns)
    .where('user_id', '=', userId)
    .where('ends_at_ms', '>', BigInt(nowMs))
    .orderBy('created_at_ms', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map((row) => Session.fromRow(row))
}

export async function touchSession(
  database: Database,
  session: Session,
  lastSeenAtMs: number,
): Promise<void> {
  const ends_at_ms = BigInt(sessionEndMs({ ...session, lastSeenAtMs }))
  await queryOn(database)
    .updateTable('sessions')
    .set({ ...Session.toChangedRow({ lastSeenAtMs }), ends_at_ms })
    .where('id', '=', session.id)
    .execute()
}

export async function renewSession(database: Database, id: string, tokenHash: string): Promise<void> {
  await queryOn(database)
    .updateTable('sessions')
    .set(Session.toChangedRow({ tokenHash }))
    .where('id', '=', id)
    .execute()
}

export async function deleteSessions(tx: Database, which: SessionChoice): Promise<number> {
  const ofUser = queryOn(tx).deleteFrom('sessions').where('user_id', '=', which.userId).returning('id')
  const chosen =
    'only' in which ? ofUser.where('id', '=', which.only) : ofUser.where('id', '<>', which.except ?? '')
  return (await chosen.execute()).length
}
