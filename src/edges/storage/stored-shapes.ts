import { integer, text, time } from '../../vocabulary/field.ts'
import { shape, type Value } from '../../vocabulary/shape.ts'
import { AuditEvent } from '../../vocabulary/system.ts'

// Rows that no other part of the program knows. They import no queries, because `tables.ts` needs them and every query needs
// `tables.ts`.

export const StoredReply = shape('StoredReply', {
  accountId: text(),
  id: text(),
  createdAtMs: time(),
  expiresAtMs: time(),
  sealedContent: text(),
})

/** The position of a stored reply in its conversation. */
export const ReplyTurn = shape('ReplyTurn', {
  turnId: text(),
  accountId: text(),
  replyId: text(),
  previousTurnId: text().nullable(),
  /** How many turns come before it. */
  links: integer(),
  /** How many turns continue from it. */
  children: integer(),
  createdAtMs: time(),
  /** Size of its content in the database. */
  sizeBytes: integer(),
  /** Size of the items that later requests may refer to. */
  itemBytes: integer(),
  pieces: integer(),
})
export type ReplyTurn = Value<typeof ReplyTurn>

export const ReplyItem = shape('ReplyItem', {
  accountId: text(),
  itemId: text(),
  replyId: text(),
  sealedItem: text(),
})

/** Pieces that are no longer needed, or are still being written; deleted when they are due. */
export const UnusedPieces = shape('UnusedPieces', { turnId: text(), pieces: integer(), dueAtMs: time() })

export const ReplyPiece = shape('ReplyPiece', { pieceId: text(), sealedPiece: text() })

const { before: beforeChange, after: afterChange, ...fields } = AuditEvent.fields
export const StoredEvent = shape('StoredEvent', { ...fields, beforeChange, afterChange })
