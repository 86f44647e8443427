import type { Kysely } from 'kysely'
import type { SealedPlace, Sealer } from '../../../../rules/access/server-secret.ts'
import type { Database } from '../../database.ts'
import { eachOf, prepare, queryOn, writeLarge } from '../../query.ts'
import type { Tables } from '../../tables.ts'
import type { NextTurn, ReadPieces } from './packed-content.ts'

/** What tables of replies work with. */
export interface ReplyParts {
  readonly database: Database
  readonly secrets: Sealer
  readonly nextTurn: NextTurn
  /** null: an account may store any amount. */
  readonly maxBytesPerAccount: number | null
}

export type ReplyTurn = Tables['reply_turns']

const COLUMNS = [
  'turn_id',
  'account_id',
  'reply_id',
  'previous_turn_id',
  'links',
  'children',
  'created_at_ms',
  'size_bytes',
  'item_bytes',
  'pieces',
] as const satisfies readonly (keyof ReplyTurn)[]

/** The time of what stays until its last descendant goes. */
const NEVER_MS = 9_000_000_000_000_000n
// No id that a client may ask for has a space, so what goes by such a name cannot be found.
const HIDDEN = ' '

export function replyPlace(accountId: string, id: string): SealedPlace {
  return { table: 'kept_replies', column: 'sealed_content', id: [accountId, id] }
}

const ADD_BYTES = prepare((query, given: { accountId: string; bytes: bigint }) =>
  query
    .insertInto('kept_reply_bytes')
    .values({ account_id: given.accountId, size_bytes: given.bytes })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet((row) => ({
        size_bytes: row('kept_reply_bytes.size_bytes', '+', row.ref('excluded.size_bytes')),
      })),
    )
    .returning('size_bytes'),
)

/**
 * Adds to what an account has stored, and gives the sum. Every transaction that changes an account's chains begins with
 * it: the row is what keeps those of several nodes apart.
 */
export async function addStoredBytes(tx: Database, accountId: string, bytes: bigint): Promise<bigint> {
  const row = await ADD_BYTES.first(tx, { accountId, bytes })
  return row?.size_bytes ?? 0n
}

const FOLLOW = prepare((query, given: { accountId: string; turnId: string }) =>
  query
    .updateTable('reply_turns')
    .set((row) => ({ children: row('children', '+', 1n) }))
    .where('turn_id', '=', given.turnId)
    .where('account_id', '=', given.accountId)
    .returning('links'),
)

/** One more turn follows this one; how many come before it, or null when it is gone. */
export async function followTurn(tx: Database, accountId: string, turnId: string): Promise<bigint | null> {
  const row = await FOLLOW.first(tx, { accountId, turnId })
  return row?.links ?? null
}

const INSERT_TURN = prepare((query, given: ReplyTurn) =>
  query
    .insertInto('reply_turns')
    .values(Object.fromEntries(COLUMNS.map((column) => [column, given[column]])) as unknown as ReplyTurn),
)

export async function insertTurn(tx: Database, turn: ReplyTurn): Promise<void> {
  await INSERT_TURN.all(tx, turn)
}

/** Replies with their turns; those from before there were turns have none. */
export function repliesWithTurns(query: Kysely<Tables>) {
  return query
    .selectFrom('kept_replies')
    .leftJoin('reply_turns', (turn) =>
      turn
        .onRef('reply_turns.account_id', '=', 'kept_replies.account_id')
        .onRef('reply_turns.reply_id', '=', 'kept_replies.id'),
    )
}

const FIND_TURN_ID = prepare((query, given: { accountId: string; id: string }) =>
  repliesWithTurns(query)
    .select('reply_turns.turn_id')
    .where('kept_replies.account_id', '=', given.accountId)
    .where('kept_replies.id', '=', given.id),
)

const FIND_TURN = prepare((query, given: { turnId: string | null }) =>
  query.selectFrom('reply_turns').select(COLUMNS).where('turn_id', '=', given.turnId),
)

const DELETE_REPLY = prepare((query, given: { accountId: string; id: string }) =>
  query.deleteFrom('kept_replies').where('account_id', '=', given.accountId).where('id', '=', given.id),
)

/** Its id finds nothing any more; what later turns need of it stays until the last of them goes. False: no such reply. */
export async function retireReply(
  tx: Database,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  secrets: Sealer,
): Promise<boolean> {
  const found = await FIND_TURN_ID.first(tx, { accountId, id })
  if (found === undefined) return false
  const turn = await FIND_TURN.first(tx, { turnId: found.turn_id })
  if (turn === undefined) await DELETE_REPLY.all(tx, { accountId, id })
  else if (turn.children > 0n) await hideTurn(tx, turn, secrets)
  else await releaseTurn(tx, turn)
  return true
}

async function hideTurn(tx: Database, turn: ReplyTurn, secrets: Sealer): Promise<void> {
  const { account_id: accountId, reply_id: replyId, turn_id: turnId } = turn
  const query = queryOn(tx)
  await query
    .deleteFrom('kept_reply_items')
    .where('account_id', '=', accountId)
    .where('reply_id', '=', replyId)
    .execute()
  const kept = await query
    .selectFrom('kept_replies')
    .select('sealed_content')
    .where('account_id', '=', accountId)
    .where('id', '=', replyId)
    .executeTakeFirstOrThrow()
  // What is sealed is bound to the name of its row. The turn follows its reply to the new name by itself.
  const head = secrets.open(kept.sealed_content, replyPlace(accountId, replyId))
  const id = HIDDEN + turnId
  await query
    .updateTable('kept_replies')
    .set({ id, expires_at_ms: NEVER_MS, sealed_content: secrets.seal(head, replyPlace(accountId, id)) })
    .where('account_id', '=', accountId)
    .where('id', '=', replyId)
    .execute()
  await query.updateTable('reply_turns').set({ item_bytes: 0n }).where('turn_id', '=', turnId).execute()
  await addStoredBytes(tx, accountId, -turn.item_bytes)
}

/** Deletes a turn that nothing follows, and all before it that only it kept. Gives what the account has left. */
async function releaseTurn(tx: Database, last: ReplyTurn): Promise<bigint> {
  let released = 0n
  let turn: ReplyTurn | null = last
  while (turn !== null) {
    released += turn.size_bytes + turn.item_bytes
    await DELETE_REPLY.all(tx, { accountId: turn.account_id, id: turn.reply_id })
    await abandonPieces(tx, turn)
    turn = turn.previous_turn_id === null ? null : await unfollowTurn(tx, turn.previous_turn_id)
  }
  return addStoredBytes(tx, last.account_id, -released)
}

const UNFOLLOW = prepare((query, given: { turnId: string }) =>
  query
    .updateTable('reply_turns')
    .set((row) => ({ children: row('children', '-', 1n) }))
    .where('turn_id', '=', given.turnId)
    .returning(COLUMNS),
)

/** The turn when nobody needs it any more. */
async function unfollowTurn(tx: Database, turnId: string): Promise<ReplyTurn | null> {
  const turn = await UNFOLLOW.first(tx, { turnId })
  const isNeeded = turn === undefined || turn.children > 0n || !turn.reply_id.startsWith(HIDDEN)
  return isNeeded ? null : turn
}

const FIND_OLDEST = prepare((query, given: { accountId: string; spared: string }) =>
  query
    .selectFrom('reply_turns')
    .select(COLUMNS)
    .where('account_id', '=', given.accountId)
    .where('children', '=', 0n)
    .where('turn_id', '<>', given.spared)
    .orderBy('created_at_ms')
    .limit(1),
)

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
  let bytes = await addStoredBytes(tx, accountId, 0n)
  for (let evicted = 0; evicted < atMost; evicted += 1) {
    if (bytes <= maxBytes) return true
    const oldest = await FIND_OLDEST.first(tx, { accountId, spared })
    if (oldest === undefined) return true
    bytes = await releaseTurn(tx, oldest)
  }
  return false
}

export type ChainLink = Pick<ReplyTurn, 'turn_id' | 'reply_id' | 'links' | 'size_bytes'>

const FIND_CHAIN = prepare((query, given: { accountId: string; turnId: string }) =>
  query
    .withRecursive('chain(turn_id, previous_turn_id, reply_id, links, size_bytes)', (chain) =>
      chain
        .selectFrom('reply_turns')
        .select(['turn_id', 'previous_turn_id', 'reply_id', 'links', 'size_bytes'])
        .where('account_id', '=', given.accountId)
        .where('turn_id', '=', given.turnId)
        .unionAll(
          chain
            .selectFrom('reply_turns as earlier')
            .innerJoin('chain', 'earlier.turn_id', 'chain.previous_turn_id')
            .select([
              'earlier.turn_id',
              'earlier.previous_turn_id',
              'earlier.reply_id',
              'earlier.links',
              'earlier.size_bytes',
            ])
            .where('earlier.account_id', '=', given.accountId),
        ),
    )
    .selectFrom('chain')
    .select(['turn_id', 'reply_id', 'links', 'size_bytes'])
    .orderBy('links'),
)

/** A turn and all before it, oldest first; null when one of them is missing. */
export async function findChain(
  database: Database,
  accountId: string,
  turnId: string,
): Promise<readonly ChainLink[] | null> {
  const rows = await FIND_CHAIN.all(database, { accountId, turnId })
  return rows.some(({ links }, index) => links !== BigInt(index)) ? null : rows
}

/** Somebody has deleted the reply meanwhile. */
export class MissingPiece extends Error {}

// Much longer than writing takes; whoever has not finished by then has died.
const WRITING_MS = 60 * 60 * 1_000
const READ_PORTION = 2
const DELETE_PORTION = 8

const pieceId = (turnId: string, number: number) => `${turnId}.${number}`

function piecePlace(id: string): SealedPlace {
  return { table: 'kept_reply_pieces', column: 'sealed_piece', id: [id] }
}

interface TurnPieces {
  readonly turnId: string
  readonly pieces: readonly string[]
  readonly nowMs: number
}

/** Writes them one by one, unused until the reply they belong to is there. Gives the bytes they take. */
export async function writePieces(
  { database, secrets, nextTurn }: ReplyParts,
  { turnId, pieces, nowMs }: TurnPieces,
  onProgress: () => void,
): Promise<number> {
  if (pieces.length === 0) return 0
  const query = queryOn(database)
  await query
    .insertInto('unused_reply_pieces')
    .values({ turn_id: turnId, pieces: BigInt(pieces.length), due_at_ms: BigInt(nowMs + WRITING_MS) })
    .execute()
  let bytes = 0
  for (const [number, piece] of pieces.entries()) {
    const id = pieceId(turnId, number)
    const sealed = secrets.seal(piece, piecePlace(id))
    await writeLarge(
      database,
      query.insertInto('kept_reply_pieces').values({ piece_id: id, sealed_piece: sealed }),
    )
    bytes += sealed.length
    onProgress()
    await nextTurn()
  }
  return bytes
}

const FIND_PIECES = prepare((query, given: Readonly<Record<number, string>>) =>
  query
    .selectFrom('kept_reply_pieces')
    .select(['piece_id', 'sealed_piece'])
    .where('piece_id', 'in', eachOf(given, READ_PORTION)),
)

export function piecesOfTurn({ database, secrets, nextTurn }: ReplyParts, turnId: string): ReadPieces {
  return async (from, to) => {
    const pieces: string[] = []
    for (let first = from; first < to; first += READ_PORTION) {
      const ids = portionIds(turnId, first, { to, size: READ_PORTION })
      const rows = await FIND_PIECES.all(database, { ...ids })
      const sealed = new Map(rows.map((row) => [row.piece_id, row.sealed_piece]))
      for (const id of new Set(ids)) {
        const text = sealed.get(id)
        if (text === undefined) throw new MissingPiece(id)
        pieces.push(secrets.open(text, piecePlace(id)))
      }
      await nextTurn()
    }
    return pieces
  }
}

/** As many ids as a portion has places, the last one repeated. */
function portionIds(
  turnId: string,
  first: number,
  { to, size }: { readonly to: number; readonly size: number },
): string[] {
  return Array.from({ length: size }, (_, index) => pieceId(turnId, Math.min(first + index, to - 1)))
}

const ABANDON = prepare((query, given: { turnId: string; pieces: bigint }) =>
  query
    .insertInto('unused_reply_pieces')
    .values({ turn_id: given.turnId, pieces: given.pieces, due_at_ms: 0n })
    .onConflict((conflict) => conflict.column('turn_id').doUpdateSet({ due_at_ms: 0n })),
)

/** Inside a transaction: nobody needs the pieces of this turn from now on. */
export async function abandonPieces(
  tx: Database,
  { turn_id: turnId, pieces }: Pick<ReplyTurn, 'turn_id' | 'pieces'>,
): Promise<void> {
  if (pieces > 0n) await ABANDON.all(tx, { turnId, pieces })
}

const FIND_UNUSED = prepare((query, given: { nowMs: bigint }) =>
  query
    .selectFrom('unused_reply_pieces')
    .select(['turn_id', 'pieces'])
    .where('due_at_ms', '<=', given.nowMs)
    .limit(1),
)

const FORGET_UNUSED = prepare((query, given: { turnId: string }) =>
  query.deleteFrom('unused_reply_pieces').where('turn_id', '=', given.turnId),
)

/** Inside a transaction: the reply that these pieces belong to is there. */
export async function keepPieces(
  tx: Database,
  { turn_id: turnId, pieces }: Pick<ReplyTurn, 'turn_id' | 'pieces'>,
): Promise<void> {
  if (pieces > 0n) await FORGET_UNUSED.all(tx, { turnId })
}

/** Deletes the pieces that have become unused by now, a few at a time. */
export async function deleteUnusedPieces({ database, nextTurn }: ReplyParts, nowMs: number): Promise<void> {
  for (;;) {
    const unused = await FIND_UNUSED.first(database, { nowMs: BigInt(nowMs) })
    if (unused === undefined) return
    const to = Number(unused.pieces)
    for (let first = 0; first < to; first += DELETE_PORTION) {
      const ids = portionIds(unused.turn_id, first, { to, size: DELETE_PORTION })
      await writeLarge(
        database,
        queryOn(database).deleteFrom('kept_reply_pieces').where('piece_id', 'in', ids),
      )
      await nextTurn()
    }
    await FORGET_UNUSED.all(database, { turnId: unused.turn_id })
  }
}
