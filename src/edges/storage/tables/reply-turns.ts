import type { SealedPlace, Sealer } from '../../../rules/access/server-secret.ts'
import type { Database } from '../database.ts'
import { abandonPieces } from './kept-reply-pieces.ts'

/** Where a kept reply stands in its conversation. */
export interface ReplyTurn {
  readonly turnId: string
  readonly accountId: string
  readonly replyId: string
  readonly previousTurnId: string | null
  /** How many turns come before it. */
  readonly links: number
  readonly createdAtMs: number
  /** What its content takes in the database. */
  readonly sizeBytes: number
  /** What the items take that later requests may refer to. */
  readonly itemBytes: number
  readonly pieces: number
}

interface TurnRow {
  readonly turn_id: string
  readonly account_id: string
  readonly reply_id: string
  readonly previous_turn_id: string | null
  readonly children: bigint
  readonly size_bytes: bigint
  readonly item_bytes: bigint
  readonly pieces: bigint
}

const COLUMNS = 'turn_id, account_id, reply_id, previous_turn_id, children, size_bytes, item_bytes, pieces'

/** The time of what stays until its last descendant goes. */
const NEVER_MS = 9_000_000_000_000_000n
// No id that a client may ask for has a space, so what goes by such a name cannot be found.
const HIDDEN = ' '

export function replyPlace(accountId: string, id: string): SealedPlace {
  return { table: 'kept_replies', column: 'sealed_content', id: [accountId, id] }
}

/**
 * Adds to what an account has stored, and gives the sum. Every transaction that changes an account's chains begins with
 * it: the row is what keeps those of several nodes apart.
 */
export async function addStoredBytes(tx: Database, accountId: string, bytes: number): Promise<number> {
  const [row] = await tx.rows<{ size_bytes: bigint }>(
    `insert into kept_reply_bytes (account_id, size_bytes) values ($1, $2)
    on conflict (account_id) do update set size_bytes = kept_reply_bytes.size_bytes + excluded.size_bytes
    returning size_bytes`,
    [accountId, BigInt(bytes)],
  )
  return Number(row?.size_bytes ?? 0)
}

/** One more turn follows this one; how many come before it, or null when it is gone. */
export async function followTurn(tx: Database, accountId: string, turnId: string): Promise<number | null> {
  const [row] = await tx.rows<{ links: bigint }>(
    'update reply_turns set children = children + 1 where turn_id = $1 and account_id = $2 returning links',
    [turnId, accountId],
  )
  return row === undefined ? null : Number(row.links)
}

export async function insertTurn(tx: Database, turn: ReplyTurn): Promise<void> {
  await tx.rows(
    `insert into reply_turns (turn_id, account_id, reply_id, previous_turn_id, links, children, created_at_ms,
      size_bytes, item_bytes, pieces) values ($1, $2, $3, $4, $5, 0, $6, $7, $8, $9)`,
    [
      turn.turnId,
      turn.accountId,
      turn.replyId,
      turn.previousTurnId,
      BigInt(turn.links),
      BigInt(turn.createdAtMs),
      BigInt(turn.sizeBytes),
      BigInt(turn.itemBytes),
      BigInt(turn.pieces),
    ],
  )
}

/** Its id finds nothing any more; what later turns need of it stays until the last of them goes. False: no such reply. */
export async function retireReply(
  tx: Database,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  secrets: Sealer,
): Promise<boolean> {
  const [found] = await tx.rows<{ turn_id: string | null }>(
    `select reply_turns.turn_id from kept_replies
    left join reply_turns on reply_turns.account_id = kept_replies.account_id
      and reply_turns.reply_id = kept_replies.id
    where kept_replies.account_id = $1 and kept_replies.id = $2`,
    [accountId, id],
  )
  if (found === undefined) return false
  const [turn] = await tx.rows<TurnRow>(`select ${COLUMNS} from reply_turns where turn_id = $1`, [
    found.turn_id,
  ])
  if (turn === undefined) {
    // It is from before there were turns.
    await tx.rows('delete from kept_replies where account_id = $1 and id = $2', [accountId, id])
    return true
  }
  if (turn.children > 0n) await hideTurn(tx, turn, secrets)
  else await releaseTurn(tx, turn)
  return true
}

async function hideTurn(tx: Database, turn: TurnRow, secrets: Sealer): Promise<void> {
  await tx.rows('delete from kept_reply_items where account_id = $1 and reply_id = $2', [
    turn.account_id,
    turn.reply_id,
  ])
  const hiddenId = HIDDEN + turn.turn_id
  const [kept] = await tx.rows<{ sealed_content: string }>(
    'select sealed_content from kept_replies where account_id = $1 and id = $2',
    [turn.account_id, turn.reply_id],
  )
  // What is sealed is bound to the name of its row. The turn follows its reply to the new name by itself.
  const head = secrets.open(kept?.sealed_content ?? '', replyPlace(turn.account_id, turn.reply_id))
  await tx.rows(
    `update kept_replies set id = $1, expires_at_ms = $2, sealed_content = $3
    where account_id = $4 and id = $5`,
    [
      hiddenId,
      NEVER_MS,
      secrets.seal(head, replyPlace(turn.account_id, hiddenId)),
      turn.account_id,
      turn.reply_id,
    ],
  )
  await tx.rows('update reply_turns set item_bytes = 0 where turn_id = $1', [turn.turn_id])
  await addStoredBytes(tx, turn.account_id, -Number(turn.item_bytes))
}

/** Deletes a turn that nothing follows, and all before it that only it kept. Gives what the account has left. */
async function releaseTurn(tx: Database, last: TurnRow): Promise<number> {
  let released = 0
  let turn: TurnRow | null = last
  while (turn !== null) {
    released += Number(turn.size_bytes + turn.item_bytes)
    await tx.rows('delete from kept_replies where account_id = $1 and id = $2', [
      turn.account_id,
      turn.reply_id,
    ])
    await abandonPieces(tx, turn.turn_id, Number(turn.pieces))
    turn = turn.previous_turn_id === null ? null : await unfollowTurn(tx, turn.previous_turn_id)
  }
  return addStoredBytes(tx, last.account_id, -released)
}

/** The turn when nobody needs it any more. */
async function unfollowTurn(tx: Database, turnId: string): Promise<TurnRow | null> {
  const [turn] = await tx.rows<TurnRow>(
    `update reply_turns set children = children - 1 where turn_id = $1 returning ${COLUMNS}`,
    [turnId],
  )
  const isNeeded = turn === undefined || turn.children > 0n || !turn.reply_id.startsWith(HIDDEN)
  return isNeeded ? null : turn
}

interface Eviction {
  readonly accountId: string
  readonly maxBytes: number
  /** The reply that must stay. */
  readonly spared: string
  readonly atMost: number
}

/**
 * Deletes the oldest replies that nothing continues, until what is left is within the bounds. A conversation goes from
 * its end to its beginning, and the one that was continued last goes last. False when there is more to do.
 */
export async function evictReplies(
  tx: Database,
  { accountId, maxBytes, spared, atMost }: Eviction,
): Promise<boolean> {
  let bytes = await addStoredBytes(tx, accountId, 0)
  for (let evicted = 0; evicted < atMost; evicted += 1) {
    if (bytes <= maxBytes) return true
    const [oldest] = await tx.rows<TurnRow>(
      `select ${COLUMNS} from reply_turns where account_id = $1 and children = 0 and turn_id <> $2
      order by created_at_ms limit 1`,
      [accountId, spared],
    )
    if (oldest === undefined) return true
    bytes = await releaseTurn(tx, oldest)
  }
  return false
}

interface ChainLink {
  readonly turnId: string
  readonly replyId: string
  readonly sizeBytes: number
}

/** A turn and all before it, oldest first; null when one of them is missing. */
export async function findChain(
  database: Database,
  accountId: string,
  turnId: string,
): Promise<readonly ChainLink[] | null> {
  const rows = await database.rows<TurnRow & { links: bigint }>(
    `with recursive chain (turn_id, previous_turn_id, reply_id, links, size_bytes) as (
      select turn_id, previous_turn_id, reply_id, links, size_bytes
      from reply_turns where account_id = $1 and turn_id = $2
      union all
      select earlier.turn_id, earlier.previous_turn_id, earlier.reply_id, earlier.links, earlier.size_bytes
      from reply_turns as earlier
      join chain on earlier.turn_id = chain.previous_turn_id
      where earlier.account_id = $1
    )
    select turn_id, reply_id, links, size_bytes from chain order by links`,
    [accountId, turnId],
  )
  if (rows.some(({ links }, index) => links !== BigInt(index))) return null
  return rows.map(({ turn_id, reply_id, size_bytes }) => ({
    turnId: turn_id,
    replyId: reply_id,
    sizeBytes: Number(size_bytes),
  }))
}
