import { GatewayError } from '../../../../errors/gateway-error.ts'
import type {
  AddedItems,
  Adding,
  Conversation,
  ConversationItem,
  ConversationKey,
} from '../../../../serve/ports/state/conversation-store.ts'
import type { Database } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import type { StoreContext, StoreMethods } from '../../store.ts'
import type { StoredConversation } from '../../stored-shapes.ts'
import {
  deleteItem,
  findItem,
  insertItems,
  listItems,
  type PackedItem,
  packItems,
  readItems,
} from './conversation-items.ts'
import { CONVERSATIONS, metadataPlace, releaseConversation } from './conversation-rows.ts'
import { evictStored } from './evict-stored.ts'
import { abandonPieces, addStoredBytes, deleteUnusedPieces, keepPieces } from './reply-turns.ts'

/** Conversations that clients name by id. */
export const conversationStore = {
  createConversation,
  loadConversation: async (context, key) => {
    const found = await findKept(context.database, key)
    return found === null ? null : open(context, found)
  },
  changeConversationMetadata,
  deleteConversation,
  addConversationItems: (context, key, added) => add(context, key, { added, created: null }),
  listConversationItems: listItems,
  findConversationItem: findItem,
  deleteConversationItem: async (context, key, itemId) => {
    const isDeleted = await context.database.transaction(async (tx) => {
      await addStoredBytes(tx, key.accountId, 0)
      return deleteItem(tx, key, itemId)
    })
    await deleteUnusedPieces(context, 0)
    return isDeleted
  },
  readConversation: async (context, key, beforePosition) => {
    const found = await findKept(context.database, key)
    if (found === null) return null
    const { nextPosition, sizeBytes } = found
    if (sizeBytes > MAX_READ_BYTES) throw tooLong()
    const items = await readItems(context, key, beforePosition ?? nextPosition)
    return { items, nextPosition, sizeBytes }
  },
  deleteExpiredConversations,
} satisfies Partial<StoreMethods>

// More than any supplier takes in one request, counted after encryption.
const MAX_READ_BYTES = 96 * 1_024 * 1_024

function tooLong(): GatewayError {
  return new GatewayError('request_too_large', 'The conversation is too long to be sent to a model.', {
    param: 'conversation',
  })
}

/** null when its time is over. */
async function findKept(database: Database, key: ConversationKey): Promise<StoredConversation | null> {
  const { accountId, id, nowMs } = key
  const found = await CONVERSATIONS.find(database, { accountId, id })
  return found === null || found.expiresAtMs <= nowMs ? null : found
}

function open({ secrets }: StoreContext, stored: StoredConversation): Conversation {
  const { accountId, id, createdAtMs, sealedMetadata } = stored
  const metadata = JSON.parse(secrets.open(sealedMetadata, metadataPlace(accountId, id)))
  return { accountId, id, createdAtMs, metadata }
}

async function createConversation(
  context: StoreContext,
  conversation: Conversation,
  added: AddedItems,
): Promise<readonly ConversationItem[]> {
  const { accountId, id, createdAtMs, metadata } = conversation
  const sealedMetadata = context.secrets.seal(JSON.stringify(metadata), metadataPlace(accountId, id))
  const created: StoredConversation = {
    accountId,
    id,
    createdAtMs,
    usedAtMs: createdAtMs,
    expiresAtMs: added.expiresAtMs,
    items: 0,
    nextPosition: 0,
    sizeBytes: sealedMetadata.length,
    sealedMetadata,
  }
  const adding = await add(context, { accountId, id, nowMs: createdAtMs }, { added, created })
  return adding.type === 'added' ? adding.items : []
}

interface Addition {
  readonly added: AddedItems
  /** The row of a new conversation; null for one that exists. */
  readonly created: StoredConversation | null
}

async function add(context: StoreContext, key: ConversationKey, addition: Addition): Promise<Adding> {
  const { database, maxReplyBytesPerAccount: maxBytes } = context
  const packed = await packItems(context, key, addition.added)
  const done = await database.transaction((tx) => addPacked(tx, key, { ...addition, packed }))
  const isOver = maxBytes !== null && done.storedBytes > maxBytes
  if (isOver) await evictStored(context, { accountId: key.accountId, spared: key.id }, maxBytes)
  if (isOver || done.adding.type !== 'added') await deleteUnusedPieces(context, 0)
  return done.adding
}

interface Added {
  readonly adding: Adding
  /** The account's stored bytes. */
  readonly storedBytes: number
}

/** The account is locked first, so that of two requests one adds all its items before the other. */
async function addPacked(
  tx: Database,
  key: ConversationKey,
  { added, created, packed }: Addition & { readonly packed: readonly PackedItem[] },
): Promise<Added> {
  const { accountId, id: conversationId, nowMs } = key
  const bytes = packed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const storedBytes = await addStoredBytes(tx, accountId, bytes + (created?.sizeBytes ?? 0))
  if (created !== null) await CONVERSATIONS.insert(tx, created)
  const conversation = created ?? (await findKept(tx, key))
  const { maxItems = Number.POSITIVE_INFINITY } = added
  const isFull = conversation !== null && conversation.items + packed.length > maxItems
  if (conversation === null || isFull) {
    for (const item of packed) await abandonPieces(tx, { turnId: item.contentId, pieces: item.pieces })
    return {
      adding: { type: isFull ? 'full' : 'gone' },
      storedBytes: await addStoredBytes(tx, accountId, -bytes),
    }
  }
  const { nextPosition: from, items: before, sizeBytes, expiresAtMs } = conversation
  const items = await insertItems(tx, packed, { accountId, conversationId, from, newId: added.newId })
  for (const item of packed) await keepPieces(tx, { turnId: item.contentId, pieces: item.pieces })
  await CONVERSATIONS.change(
    tx,
    { accountId, id: conversationId },
    {
      items: before + packed.length,
      nextPosition: from + packed.length,
      sizeBytes: sizeBytes + bytes,
      usedAtMs: nowMs,
      expiresAtMs: Math.max(expiresAtMs, added.expiresAtMs),
    },
  )
  return { adding: { type: 'added', items }, storedBytes }
}

async function changeConversationMetadata(
  context: StoreContext,
  key: ConversationKey,
  ...[metadata, expiresAtMs]: [Conversation['metadata'], number]
): Promise<Conversation | null> {
  const { accountId, id, nowMs } = key
  const sealedMetadata = context.secrets.seal(JSON.stringify(metadata), metadataPlace(accountId, id))
  return context.database.transaction(async (tx) => {
    await addStoredBytes(tx, accountId, 0)
    const found = await findKept(tx, key)
    if (found === null) return null
    const more = sealedMetadata.length - found.sealedMetadata.length
    await addStoredBytes(tx, accountId, more)
    await CONVERSATIONS.change(
      tx,
      { accountId, id },
      { sealedMetadata, sizeBytes: found.sizeBytes + more, usedAtMs: nowMs, expiresAtMs },
    )
    return { accountId, id, createdAtMs: found.createdAtMs, metadata }
  })
}

async function deleteConversation(context: StoreContext, key: ConversationKey): Promise<boolean> {
  const { accountId, id } = key
  const isDeleted = await context.database.transaction(async (tx) => {
    await addStoredBytes(tx, accountId, 0)
    if ((await findKept(tx, key)) === null) return false
    return (await releaseConversation(tx, accountId, id)) !== null
  })
  await deleteUnusedPieces(context, 0)
  return isDeleted
}

/** Each in a transaction of its own: one may have many items. */
async function deleteExpiredConversations(
  context: StoreContext,
  nowMs: number,
  atMost: number,
): Promise<number> {
  const expired = await queryOn(context.database)
    .selectFrom('conversations')
    .select(['account_id', 'id'])
    .where('expires_at_ms', '<=', BigInt(nowMs))
    .limit(BigInt(atMost))
    .execute()
  for (const { account_id, id } of expired) {
    await context.database.transaction(async (tx) => {
      await addStoredBytes(tx, account_id, 0)
      // It may have been used since.
      if ((await findKept(tx, { accountId: account_id, id, nowMs })) !== null) return
      await releaseConversation(tx, account_id, id)
    })
    await context.nextTurn()
  }
  if (expired.length > 0) await deleteUnusedPieces(context, nowMs)
  return expired.length
}
