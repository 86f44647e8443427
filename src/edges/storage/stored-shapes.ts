import { Type } from 'typebox'
import { BACKGROUND_STATUSES } from '../../serve/ports/state/background-store.ts'
import { Delivery } from '../../vocabulary/alert.ts'
import { choice, flag, integer, json, list, text, time } from '../../vocabulary/field.ts'
import { AlertChannel } from '../../vocabulary/observability/alert-channel.ts'
import { SINK_STREAMS, Sink, SinkProgress } from '../../vocabulary/observability/sink.ts'
import { shape, type Value } from '../../vocabulary/shape.ts'
import { AuditEvent } from '../../vocabulary/system.ts'
import { Membership } from '../../vocabulary/user.ts'
import { ROLES } from '../../vocabulary/words.ts'

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

/** A reply that is made in the background. */
export const StoredBackground = shape('StoredBackground', {
  accountId: text(),
  id: text(),
  runningOn: text().nullable(),
  status: choice(BACKGROUND_STATUSES),
  isStreamed: flag(),
  requestId: text(),
  admission: text(),
  createdAtMs: time(),
  /** How many are stored. */
  events: integer(),
  eventBytes: integer(),
})

export const StoredEvents = shape('StoredEvents', {
  batchId: text(),
  accountId: text(),
  replyId: text(),
  firstNumber: integer(),
  sealedFrames: text(),
})

export const StoredEnding = shape('StoredEnding', { accountId: text(), replyId: text(), sealedReply: text() })
/** A conversation that a client names by id, without its items. */
export const StoredConversation = shape('StoredConversation', {
  accountId: text(),
  id: text(),
  createdAtMs: time(),
  usedAtMs: time(),
  expiresAtMs: time(),
  items: integer(),
  /** The position of the next item. Positions of deleted items are not used again. */
  nextPosition: integer(),
  /** Size of its metadata and items in the database. */
  sizeBytes: integer(),
  sealedMetadata: text(),
})
export type StoredConversation = Value<typeof StoredConversation>

export const ConversationItem = shape('ConversationItem', {
  accountId: text(),
  conversationId: text(),
  position: integer(),
  itemId: text(),
  /** The name of its pieces. */
  contentId: text(),
  pieces: integer(),
  sizeBytes: integer(),
  sealedItem: text(),
})
export type ConversationItem = Value<typeof ConversationItem>

/** What stored chat completions are listed by. */
export const StoredChat = shape('StoredChat', {
  accountId: text(),
  replyId: text(),
  model: text(),
  createdAtMs: time(),
  sealedMetadata: text(),
})

export const ChatLabel = shape('ChatLabel', {
  accountId: text(),
  replyId: text(),
  label: text(),
  createdAtMs: time(),
})

const { before: beforeChange, after: afterChange, ...fields } = AuditEvent.fields
export const StoredEvent = shape('StoredEvent', { ...fields, beforeChange, afterChange })

export const StoredSink = Sink.without('SealedSink', ['secret']).with('SealedSink', { sealedSecret: text() })

/** What is stored of a sink's progress; the rest is counted. */
export const SinkState = SinkProgress.without('SinkState', ['waiting', 'oldestAtMs'])

/** Lines that wait for a sink. */
export const SinkEntry = shape('SinkEntry', {
  entryId: text(),
  sinkId: text(),
  /** Where it is in the order of its sink. */
  place: integer(),
  stream: choice(SINK_STREAMS),
  ids: list(text()),
  lines: integer(),
  atMs: time(),
})

export const StoredChannel = AlertChannel.without('SealedChannel', ['address', 'secret']).with(
  'SealedChannel',
  {
    sealedTarget: text(),
  },
)

/** A message that waits for a channel, or was told. */
export const ChannelMessage = Delivery.with('ChannelMessage', {
  id: text(),
  channelId: text(),
  message: json<object>(Type.Object({}), {}),
  atMs: time(),
})

/** Nodes of earlier versions know owners and members only, so `role` has one of these two words. */
export const StoredMembership = Membership.without('StoredMembership', ['role']).with('StoredMembership', {
  role: choice(['owner', 'member']),
  /** What a member who is no owner may do; null for those of earlier versions. */
  memberRole: choice(ROLES).nullable(),
})
export type StoredMembership = Value<typeof StoredMembership>
