import type { SealedPlace } from '../../../../rules/access/server-secret.ts'
import type {
  ChatListing,
  ChatMetadata,
  ChatPage,
  ShownChat,
  StoredChat,
} from '../../../../serve/ports/state/chat-store.ts'
import type { Database } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import type { StoreContext, StoreMethods } from '../../store.ts'
import { ChatLabel, StoredChat as ChatShape } from '../../stored-shapes.ts'
import { tableOf } from '../../table.ts'
import { SEALED_COLUMNS } from '../supply/sealed-columns.ts'
import { replyStore } from './kept-replies.ts'
import { withinBytes } from './page-bytes.ts'
import { addStoredBytes, TURNS } from './reply-turns.ts'

const CHATS = tableOf('stored_chats', ChatShape, { key: ['account_id', 'reply_id'] })
const LABELS = tableOf('stored_chat_labels', ChatLabel, { key: ['account_id', 'reply_id', 'label'] })

/** Chat completions that a client asked to store. Each is a kept reply that is also listed. */
export const chatStore = {
  saveChat,
  findChat,
  findChatMessages: async (context, ...[accountId, id, nowMs]) => {
    if ((await CHATS.find(context.database, { accountId, replyId: replyIdOf(id) })) === null) return null
    const found = await replyStore.findReply(context, accountId, replyIdOf(id), nowMs)
    return found?.inputItems ?? null
  },
  listChats,
  changeChatMetadata: ({ database, secrets }, ...[accountId, id, metadata]) => {
    const replyId = replyIdOf(id)
    const sealedMetadata = secrets.seal(JSON.stringify(metadata.pairs), placeOf(accountId, replyId))
    return database.transaction((tx) => writeMetadata(tx, { accountId, replyId, sealedMetadata }, metadata))
  },
  deleteChat: (context, accountId, id) => replyStore.deleteReply(context, accountId, replyIdOf(id)),
} satisfies Partial<StoreMethods>

/** With a space, which no id from a client has: what is kept here is not found among the responses. */
function replyIdOf(id: string): string {
  return `chat ${id}`
}

function placeOf(accountId: string, replyId: string): SealedPlace {
  return { ...SEALED_COLUMNS.chats, id: [accountId, replyId] }
}

/** The completion is listed once it is stored. */
async function saveChat(context: StoreContext, chat: StoredChat, onProgress: () => void): Promise<void> {
  const { model, metadata, ...kept } = chat
  const { accountId, createdAtMs } = kept
  const replyId = replyIdOf(kept.id)
  await replyStore.saveReply(context, { ...kept, id: replyId }, new Map(), { onProgress })
  const sealedMetadata = context.secrets.seal(JSON.stringify(metadata.pairs), placeOf(accountId, replyId))
  await context.database.transaction(async (tx) => {
    await addStoredBytes(tx, accountId, 0)
    // Another one may have taken its room since.
    if ((await TURNS.find(tx, { accountId, replyId })) === null) return
    await CHATS.save(tx, { accountId, replyId, model, createdAtMs, sealedMetadata: '' })
    await writeMetadata(tx, { accountId, replyId, sealedMetadata }, metadata)
  })
}

type SealedChat = Pick<Parameters<typeof CHATS.save>[1], 'accountId' | 'replyId' | 'sealedMetadata'>

/** False when there is no such completion. */
async function writeMetadata(
  tx: Database,
  { accountId, replyId, sealedMetadata }: SealedChat,
  { labels }: ChatMetadata,
): Promise<boolean> {
  await addStoredBytes(tx, accountId, 0)
  const chat = await CHATS.find(tx, { accountId, replyId })
  const turn = await TURNS.find(tx, { accountId, replyId })
  if (chat === null || turn === null) return false
  await addStoredBytes(tx, accountId, sealedMetadata.length - turn.itemBytes)
  await TURNS.change(tx, { turnId: turn.turnId }, { itemBytes: sealedMetadata.length })
  await CHATS.change(tx, { accountId, replyId }, { sealedMetadata })
  await LABELS.remove(tx, { accountId, replyId })
  for (const label of new Set(labels)) {
    await LABELS.insert(tx, { accountId, replyId, label, createdAtMs: chat.createdAtMs })
  }
  return true
}

async function findChat(
  context: StoreContext,
  ...[accountId, id, nowMs]: [accountId: string, id: string, nowMs: number]
): Promise<ShownChat | null> {
  const replyId = replyIdOf(id)
  const chat = await CHATS.find(context.database, { accountId, replyId })
  return chat === null ? null : show(context, chat, nowMs)
}

async function show(
  context: StoreContext,
  { accountId, replyId, sealedMetadata }: SealedChat,
  nowMs: number,
): Promise<ShownChat | null> {
  const reply = await replyStore.findReplyObject(context, accountId, replyId, nowMs)
  if (reply === null) return null
  const metadata = JSON.parse(context.secrets.open(sealedMetadata, placeOf(accountId, replyId)))
  return { reply, metadata }
}

async function listChats(
  context: StoreContext,
  accountId: string,
  page: ChatPage,
): Promise<ChatListing | null> {
  const replyId = page.after === null ? null : replyIdOf(page.after)
  const last = replyId === null ? null : await CHATS.find(context.database, { accountId, replyId })
  if (replyId !== null && last === null) return null
  const found = await findPage(context.database, page, { accountId, last })
  const shown = withinBytes(found, page.limit)
  const chats: ShownChat[] = []
  for (const { reply_id, sealed_metadata } of shown) {
    const sealed = { accountId, replyId: reply_id, sealedMetadata: sealed_metadata }
    const chat = await show(context, sealed, page.nowMs)
    if (chat !== null) chats.push(chat)
    await context.nextTurn()
  }
  return { chats, hasMore: shown.length < found.length }
}

interface From {
  readonly accountId: string
  readonly last: { readonly createdAtMs: number; readonly replyId: string } | null
}

/** Follows the index of the first label, of the model, or of all completions of the account, in their order. */
function findPage(database: Database, page: ChatPage, { accountId, last }: From) {
  const { order, limit, model, labels, nowMs } = page
  const [label, ...others] = labels
  const time = label === undefined ? 'stored_chats.created_at_ms' : 'stored_chat_labels.created_at_ms'
  const id = label === undefined ? 'stored_chats.reply_id' : 'stored_chat_labels.reply_id'
  return queryOn(database)
    .selectFrom('stored_chats')
    .innerJoin('kept_replies', (reply) =>
      reply
        .onRef('kept_replies.account_id', '=', 'stored_chats.account_id')
        .onRef('kept_replies.id', '=', 'stored_chats.reply_id'),
    )
    .innerJoin('reply_turns', (turn) =>
      turn
        .onRef('reply_turns.account_id', '=', 'stored_chats.account_id')
        .onRef('reply_turns.reply_id', '=', 'stored_chats.reply_id'),
    )
    .leftJoin('stored_chat_labels', (own) =>
      own
        .onRef('stored_chat_labels.account_id', '=', 'stored_chats.account_id')
        .onRef('stored_chat_labels.reply_id', '=', 'stored_chats.reply_id')
        .on('stored_chat_labels.label', '=', label ?? ''),
    )
    .select(['stored_chats.reply_id', 'stored_chats.sealed_metadata', 'reply_turns.size_bytes'])
    .where('stored_chats.account_id', '=', accountId)
    .where('kept_replies.expires_at_ms', '>', BigInt(nowMs))
    .$if(label !== undefined, (rest) =>
      rest
        .where('stored_chat_labels.account_id', '=', accountId)
        .where('stored_chat_labels.label', '=', label ?? ''),
    )
    .$if(model !== null, (rest) => rest.where('stored_chats.model', '=', model ?? ''))
    .$if(last !== null, (rest) =>
      rest.where((row) =>
        row(
          row.refTuple(time, id),
          order === 'asc' ? '>' : '<',
          row.tuple(BigInt(last?.createdAtMs ?? 0), last?.replyId ?? ''),
        ),
      ),
    )
    .where((row) =>
      row.and(
        others.map((other) =>
          row.exists(
            row
              .selectFrom('stored_chat_labels as further')
              .select('further.label')
              .whereRef('further.account_id', '=', 'stored_chats.account_id')
              .whereRef('further.reply_id', '=', 'stored_chats.reply_id')
              .where('further.label', '=', other),
          ),
        ),
      ),
    )
    .orderBy(time, order)
    .orderBy(id, order)
    .limit(BigInt(limit + 1))
    .execute()
}
