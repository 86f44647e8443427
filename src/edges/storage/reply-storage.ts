import type { ReplyStore } from '../../gateway/ports/reply-store.ts'
import {
  deleteExpiredReplies,
  deleteReply,
  findConversation,
  findReply,
  findReplyObject,
  saveReply,
} from './tables/kept-replies.ts'
import { findReplyItems } from './tables/kept-reply-items.ts'
import type { ReplyParts } from './tables/kept-reply-pieces.ts'

/** The replies that later requests may continue from. */
export function replyStorageOn(parts: ReplyParts): ReplyStore {
  const { database, secrets } = parts
  return {
    saveReply: (reply, items, options = {}) => saveReply(parts, { reply, items, options }),
    findReply: (accountId, id, nowMs) => findReply(parts, { accountId, id, nowMs }),
    findReplyObject: (accountId, id, nowMs) => findReplyObject(parts, { accountId, id, nowMs }),
    findConversation: (accountId, id, nowMs) => findConversation(parts, { accountId, id, nowMs }),
    findReplyItems: (accountId, ids, nowMs) => findReplyItems(database, { accountId, ids, nowMs }, secrets),
    deleteReply: (accountId, id) => deleteReply(parts, { accountId, id }),
    deleteExpiredReplies: (nowMs, atMost) => deleteExpiredReplies(parts, nowMs, atMost),
  }
}
