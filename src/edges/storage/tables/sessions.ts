import type { Session, SessionChoice } from '../../../gateway/ports/identity.ts'
import { sessionEndMs } from '../../../rules/access/session-life.ts'
import type { Database } from '../database.ts'

interface SessionRow {
  readonly id: string
  readonly user_id: string
  readonly token_hash: string
  readonly created_at_ms: bigint
  readonly last_seen_at_ms: bigint
  readonly address: string | null
  readonly user_agent: string | null
}

const COLUMNS = 'id, user_id, token_hash, created_at_ms, last_seen_at_ms, address, user_agent'

export async function insertSession(tx: Database, session: Session): Promise<void> {
  await tx.rows('delete from sessions where ends_at_ms <= $1', [BigInt(session.createdAtMs)])
  await tx.rows(`insert into sessions (${COLUMNS}, ends_at_ms) values ($1, $2, $3, $4, $5, $6, $7, $8)`, [
    session.id,
    session.userId,
    session.tokenHash,
    BigInt(session.createdAtMs),
    BigInt(session.lastSeenAtMs),
    session.address,
    session.userAgent,
    BigInt(sessionEndMs(session)),
  ])
}

export async function findSession(database: Database, tokenHash: string): Promise<Session | null> {
  const [row] = await database.rows<SessionRow>(`select ${COLUMNS} from sessions where token_hash = $1`, [
    tokenHash,
  ])
  return row === undefined ? null : decodeSession(row)
}

export async function listSessions(database: Database, userId: string, nowMs: number): Promise<Session[]> {
  const rows = await database.rows<SessionRow>(
    `select ${COLUMNS} from sessions where user_id = $1 and ends_at_ms > $2
    order by created_at_ms desc, id desc`,
    [userId, BigInt(nowMs)],
  )
  return rows.map(decodeSession)
}

export async function touchSession(
  database: Database,
  session: Session,
  lastSeenAtMs: number,
): Promise<void> {
  const endsAtMs = sessionEndMs({ ...session, lastSeenAtMs })
  await database.rows('update sessions set last_seen_at_ms = $1, ends_at_ms = $2 where id = $3', [
    BigInt(lastSeenAtMs),
    BigInt(endsAtMs),
    session.id,
  ])
}

export async function renewSession(database: Database, id: string, tokenHash: string): Promise<void> {
  await database.rows('update sessions set token_hash = $1 where id = $2', [tokenHash, id])
}

export async function deleteSessions(tx: Database, which: SessionChoice): Promise<number> {
  const [condition, id] = 'only' in which ? ['and id = $2', which.only] : ['and id <> $2', which.except ?? '']
  const rows = await tx.rows(`delete from sessions where user_id = $1 ${condition} returning id`, [
    which.userId,
    id,
  ])
  return rows.length
}

function decodeSession(row: SessionRow): Session {
  return {
    id: row.id,
    userId: row.user_id,
    tokenHash: row.token_hash,
    createdAtMs: Number(row.created_at_ms),
    lastSeenAtMs: Number(row.last_seen_at_ms),
    address: row.address,
    userAgent: row.user_agent,
  }
}
