import type { Kysely } from 'kysely'
import type { SealedPlace, Sealer } from '../../../../rules/access/server-secret.ts'
import type { Database } from '../../engines/database.ts'
import { inPortions, padded, prepare, queryOn, writeLarge } from '../../query.ts'
import type { StoreContext } from '../../store.ts'
import { ReplyItem, ReplyPiece, ReplyTurn, StoredReply, UnusedPieces } from '../../stored-shapes.ts'
import { tableOf } from '../../table.ts'
import type { Tables } from '../../tables.ts'
import { SEALED_COLUMNS } from '../supply/sealed-columns.ts'
import type { ReadPieces } from './packed-content.ts'

export const REPLIES = tableOf('kept_replies', StoredReply, { key: ['account_id', 'id'] })

export const TURNS = tableOf('reply_turns', ReplyTurn, { key: ['turn_id'] })

export const ITEMS = tableOf('kept_reply_items', ReplyItem, { key: ['account_id', 'item_id'] })

const UNUSED = tableOf('unused_reply_pieces', UnusedPieces, { key: ['turn_id'] })

/** The expiry of a turn that stays until its last descendant is deleted. */
const NEVER_MS = 9_000_000_000_000_000
// Ids from clients contain no space, so a reply with this prefix cannot be found.
const HIDDEN = ' '

export function replyPlace(accountId: string, id: string): SealedPlace {
  return { ...SEALED_COLUMNS.replies, id: [accountId, id] }
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
 * Adds to the stored bytes of an account and returns the sum. Every transaction that changes an account's chains starts with
 * it: the row lock serializes the transactions of several nodes.
 */
export async function addStoredBytes(tx: Database, accountId: string, bytes: number): Promise<number> {
  const row = await ADD_BYTES.first(tx, { accountId, bytes: BigInt(bytes) })
  return Number(row?.size_bytes ?? 0)
}

const COUNT_CHILD = prepare((query, given: { accountId: string; turnId: string; more: bigint }) =>
  query
    .updateTable('reply_turns')
    .set((row) => ({ children: row('children', '+', given.more) }))
    .where('turn_id', '=', given.turnId)
    .where('account_id', '=', given.accountId)
    .returning(ReplyTurn.columns),
)

/** Adds a child to this turn. Returns how many turns come before it, or null when it was deleted. */
export async function followTurn(tx: Database, accountId: string, turnId: string): Promise<number | null> {
  const row = await COUNT_CHILD.first(tx, { accountId, turnId, more: 1n })
  return row === undefined ? null : Number(row.links)
}

/** Replies with their turns. Replies of earlier versions have none. */
export function repliesWithTurns(query: Kysely<Tables>) {
  return query
    .selectFrom('kept_replies')
    .leftJoin('reply_turns', (turn) =>
      turn
        .onRef('reply_turns.account_id', '=', 'kept_replies.account_id')
        .onRef('reply_turns.reply_id', '=', 'kept_replies.id'),
    )
}

/** Hides a reply. What later turns need of it stays until the last of them is deleted. False: no such reply. */
export async function retireReply(
  tx: Database,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  secrets: Sealer,
): Promise<boolean> {
  const turn = await TURNS.find(tx, { accountId, replyId: id })
  // Replies of earlier versions have no turn.
  if (turn === null) return (await REPLIES.remove(tx, { accountId, id })) > 0
  if (turn.children > 0) await hideTurn(tx, turn, secrets)
  else await releaseTurn(tx, turn)
  return true
}

async function hideTurn(tx: Database, turn: ReplyTurn, secrets: Sealer): Promise<void> {
  const { accountId, replyId, turnId } = turn
  await ITEMS.remove(tx, { accountId, replyId })
  const kept = await REPLIES.find(tx, { accountId, id: replyId })
  if (kept === null) throw new Error(`The reply of the turn ${turnId} is gone.`)
  // Encrypted content is bound to the id of its row. The turn follows its reply to the new id automatically.
  const head = secrets.open(kept.sealedContent, replyPlace(accountId, replyId))
  const id = HIDDEN + turnId
  const sealedContent = secrets.seal(head, replyPlace(accountId, id))
  await REPLIES.change(tx, { accountId, id: replyId }, { id, expiresAtMs: NEVER_MS, sealedContent })
  await TURNS.change(tx, { turnId }, { itemBytes: 0 })
  await addStoredBytes(tx, accountId, -turn.itemBytes)
}

/** Deletes a turn without children, and all earlier turns that only it needed. Returns the account's stored bytes. */
export async function releaseTurn(tx: Database, last: ReplyTurn): Promise<number> {
  let released = 0
  let turn: ReplyTurn | null = last
  while (turn !== null) {
    released += turn.sizeBytes + turn.itemBytes
    await REPLIES.remove(tx, { accountId: turn.accountId, id: turn.replyId })
    await abandonPieces(tx, turn)
    const before: string | null = turn.previousTurnId
    turn = before === null ? null : await unfollowTurn(tx, last.accountId, before)
  }
  return addStoredBytes(tx, last.accountId, -released)
}

/** The turn, if it is no longer needed. */
async function unfollowTurn(tx: Database, accountId: string, turnId: string): Promise<ReplyTurn | null> {
  const row = await COUNT_CHILD.first(tx, { accountId, turnId, more: -1n })
  const isNeeded = row === undefined || row.children > 0n || !row.reply_id.startsWith(HIDDEN)
  return isNeeded ? null : ReplyTurn.fromRow(row)
}

const FIND_OLDEST = prepare((query, given: { accountId: string; spared: string }) =>
  query
    .selectFrom('reply_turns')
    .select(ReplyTurn.columns)
    .where('account_id', '=', given.accountId)
    .where('children', '=', 0n)
    .where('turn_id', '<>', given.spared)
    .orderBy('created_at_ms')
    .limit(1),
)

/** The oldest turn that no other continues. */
export async function findOldestTurn(
  tx: Database,
  accountId: string,
  spared: string,
): Promise<ReplyTurn | null> {
  const row = await FIND_OLDEST.first(tx, { accountId, spared })
  return row === undefined ? null : ReplyTurn.fromRow(row)
}

export type ChainLink = Pick<Tables['reply_turns'], 'turn_id' | 'reply_id' | 'links' | 'size_bytes'>

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

/** The reply was deleted in the meantime. */
export class MissingPiece extends Error {}

// Much longer than writing takes. A writer that has not finished by then has died.
const WRITING_MS = 60 * 60 * 1_000
const READ_PORTION = 2
const DELETE_PORTION = 8

const pieceIds = (turnId: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `${turnId}.${from + index}`)

function piecePlace(id: string): SealedPlace {
  return { ...SEALED_COLUMNS.pieces, id: [id] }
}

interface TurnPieces {
  readonly turnId: string
  readonly pieces: readonly string[]
  readonly nowMs: number
}

/** Writes pieces one by one. They count as unused until their reply is stored. Returns their size in bytes. */
export async function writePieces(
  { database, secrets, nextTurn }: StoreContext,
  { turnId, pieces, nowMs }: TurnPieces,
  onProgress: () => void,
): Promise<number> {
  if (pieces.length === 0) return 0
  const query = queryOn(database)
  await UNUSED.insert(database, { turnId, pieces: pieces.length, dueAtMs: nowMs + WRITING_MS })
  let bytes = 0
  for (const [number, id] of pieceIds(turnId, 0, pieces.length).entries()) {
    const piece = pieces[number] ?? ''
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

const PIECES = tableOf('kept_reply_pieces', ReplyPiece, { key: ['piece_id'] })

export function piecesOfTurn({ database, secrets, nextTurn }: StoreContext, turnId: string): ReadPieces {
  return async (from, to) => {
    const pieces: string[] = []
    for (const ids of inPortions(pieceIds(turnId, from, to), READ_PORTION)) {
      const found = await PIECES.listOf(database, { field: 'pieceId', values: ids })
      const sealed = new Map(found.map(({ pieceId, sealedPiece }) => [pieceId, sealedPiece]))
      for (const id of ids) {
        const text = sealed.get(id)
        if (text === undefined) throw new MissingPiece(id)
        pieces.push(secrets.open(text, piecePlace(id)))
      }
      await nextTurn()
    }
    return pieces
  }
}

/** Inside a transaction: marks the pieces of this turn as unused. */
export async function abandonPieces(
  tx: Database,
  { turnId, pieces }: Pick<ReplyTurn, 'turnId' | 'pieces'>,
): Promise<void> {
  if (pieces > 0) await UNUSED.save(tx, { turnId, pieces, dueAtMs: 0 })
}

const FIND_UNUSED = prepare((query, given: { nowMs: bigint }) =>
  query
    .selectFrom('unused_reply_pieces')
    .select(['turn_id', 'pieces'])
    .where('due_at_ms', '<=', given.nowMs)
    .limit(1),
)

/** Inside a transaction: marks the pieces as used, because their reply is stored. */
export async function keepPieces(
  tx: Database,
  { turnId, pieces }: Pick<ReplyTurn, 'turnId' | 'pieces'>,
): Promise<void> {
  if (pieces > 0) await UNUSED.remove(tx, { turnId })
}

/** Deletes unused pieces that are due, a few at a time. */
export async function deleteUnusedPieces({ database, nextTurn }: StoreContext, nowMs: number): Promise<void> {
  for (;;) {
    const unused = await FIND_UNUSED.first(database, { nowMs: BigInt(nowMs) })
    if (unused === undefined) return
    const all = pieceIds(unused.turn_id, 0, Number(unused.pieces))
    for (const ids of inPortions(all, DELETE_PORTION)) {
      const query = queryOn(database).deleteFrom('kept_reply_pieces')
      await writeLarge(database, query.where('piece_id', 'in', padded(ids, DELETE_PORTION)))
      await nextTurn()
    }
    await UNUSED.remove(database, { turnId: unused.turn_id })
  }
}
