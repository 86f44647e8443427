import type { SealedPlace, Sealer } from '../../../rules/access/server-secret.ts'
import type { Database } from '../database.ts'
import type { NextTurn, ReadPieces } from '../packed-content.ts'

/** What tables of replies work with. */
export interface ReplyParts {
  readonly database: Database
  readonly secrets: Sealer
  readonly nextTurn: NextTurn
  /** null: an account may store any amount. */
  readonly maxBytesPerAccount: number | null
}

export interface TurnPieces {
  readonly turnId: string
  readonly pieces: readonly string[]
  readonly nowMs: number
}

/** Somebody has deleted the reply meanwhile. */
export class MissingPiece extends Error {}

// Much longer than writing takes; whoever has not finished by then has died.
const WRITING_MS = 60 * 60 * 1_000
const READ_PORTION = 2
const DELETE_PORTION = 8

const placeOf = (id: string): SealedPlace => ({
  table: 'kept_reply_pieces',
  column: 'sealed_piece',
  id: [id],
})
const pieceId = (turnId: string, number: number) => `${turnId}.${number}`
const places = (count: number) => Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ')

const SELECT = `select piece_id, sealed_piece from kept_reply_pieces where piece_id in (${places(READ_PORTION)})`
const DELETE = `delete from kept_reply_pieces where piece_id in (${places(DELETE_PORTION)})`

/** Writes them one by one, unused until the reply they belong to is there. Gives the bytes they take. */
export async function writePieces(
  { database, secrets, nextTurn }: ReplyParts,
  { turnId, pieces, nowMs }: TurnPieces,
  onProgress: () => void,
): Promise<number> {
  if (pieces.length === 0) return 0
  await database.rows('insert into unused_reply_pieces (turn_id, pieces, due_at_ms) values ($1, $2, $3)', [
    turnId,
    BigInt(pieces.length),
    BigInt(nowMs + WRITING_MS),
  ])
  let bytes = 0
  for (const [number, piece] of pieces.entries()) {
    const id = pieceId(turnId, number)
    const sealed = secrets.seal(piece, placeOf(id))
    await database.writeLarge('insert into kept_reply_pieces (piece_id, sealed_piece) values ($1, $2)', [
      id,
      sealed,
    ])
    bytes += sealed.length
    onProgress()
    await nextTurn()
  }
  return bytes
}

export function piecesOfTurn({ database, secrets, nextTurn }: ReplyParts, turnId: string): ReadPieces {
  return async (from, to) => {
    const pieces: string[] = []
    for (let first = from; first < to; first += READ_PORTION) {
      const ids = portionIds(turnId, first, { to, size: READ_PORTION })
      const rows = await database.rows<{ piece_id: string; sealed_piece: string }>(SELECT, ids)
      const sealed = new Map(rows.map((row) => [row.piece_id, row.sealed_piece]))
      for (const id of new Set(ids)) {
        const text = sealed.get(id)
        if (text === undefined) throw new MissingPiece(id)
        pieces.push(secrets.open(text, placeOf(id)))
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

/** Inside a transaction: nobody needs the pieces of this turn from now on. */
export async function abandonPieces(tx: Database, turnId: string, pieces: number): Promise<void> {
  if (pieces === 0) return
  await tx.rows(
    `insert into unused_reply_pieces (turn_id, pieces, due_at_ms) values ($1, $2, 0)
    on conflict (turn_id) do update set due_at_ms = 0`,
    [turnId, BigInt(pieces)],
  )
}

/** Deletes the pieces that have become unused by now, a few at a time. */
export async function deleteUnusedPieces(
  { database, nextTurn }: Pick<ReplyParts, 'database' | 'nextTurn'>,
  nowMs: number,
): Promise<void> {
  for (;;) {
    const [unused] = await database.rows<{ turn_id: string; pieces: bigint }>(
      'select turn_id, pieces from unused_reply_pieces where due_at_ms <= $1 limit 1',
      [BigInt(nowMs)],
    )
    if (unused === undefined) return
    const to = Number(unused.pieces)
    for (let first = 0; first < to; first += DELETE_PORTION) {
      await database.writeLarge(DELETE, portionIds(unused.turn_id, first, { to, size: DELETE_PORTION }))
      await nextTurn()
    }
    await database.rows('delete from unused_reply_pieces where turn_id = $1', [unused.turn_id])
  }
}
