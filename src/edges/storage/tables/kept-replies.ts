import type { KeptReply } from '../../../gateway/ports/reply-store.ts'
import type { Sealer } from '../../../rules/access/server-secret.ts'
import type { Database } from '../database.ts'

interface KeptReplyRow {
  readonly account_id: string
  readonly id: string
  readonly created_at_ms: bigint
  readonly expires_at_ms: bigint
  readonly sealed_content: string
}

/** What a client said and was told is nobody else's to read, not even in a copy of the database. */
type Content = Pick<KeptReply, 'inputItems' | 'reply'>

export async function saveReply(database: Database, kept: KeptReply, secrets: Sealer): Promise<void> {
  const content: Content = { inputItems: kept.inputItems, reply: kept.reply }
  await database.rows(
    `insert into kept_replies (account_id, id, created_at_ms, expires_at_ms, sealed_content)
    values ($1, $2, $3, $4, $5)
    on conflict (account_id, id) do update set
      created_at_ms = excluded.created_at_ms,
      expires_at_ms = excluded.expires_at_ms,
      sealed_content = excluded.sealed_content`,
    [
      kept.accountId,
      kept.id,
      BigInt(kept.createdAtMs),
      BigInt(kept.expiresAtMs),
      secrets.seal(JSON.stringify(content)),
    ],
  )
}

export async function findReply(
  database: Database,
  wanted: Pick<KeptReply, 'accountId' | 'id'> & { readonly nowMs: number },
  secrets: Sealer,
): Promise<KeptReply | null> {
  const [row] = await database.rows<KeptReplyRow>(
    `select account_id, id, created_at_ms, expires_at_ms, sealed_content
    from kept_replies where account_id = $1 and id = $2 and expires_at_ms > $3`,
    [wanted.accountId, wanted.id, BigInt(wanted.nowMs)],
  )
  if (row === undefined) return null
  const content: Content = JSON.parse(secrets.open(row.sealed_content))
  return {
    id: row.id,
    accountId: row.account_id,
    createdAtMs: Number(row.created_at_ms),
    expiresAtMs: Number(row.expires_at_ms),
    ...content,
  }
}

export async function deleteReply(database: Database, accountId: string, id: string): Promise<boolean> {
  const deleted = await database.rows(
    'delete from kept_replies where account_id = $1 and id = $2 returning id',
    [accountId, id],
  )
  return deleted.length > 0
}

/** In small portions, so that no other write waits long. */
export async function deleteExpiredReplies(
  database: Database,
  nowMs: number,
  atMost: number,
): Promise<number> {
  const deleted = await database.rows(
    `delete from kept_replies where (account_id, id) in (
      select account_id, id from kept_replies where expires_at_ms <= $1 limit $2
    ) returning id`,
    [BigInt(nowMs), BigInt(atMost)],
  )
  return deleted.length
}
