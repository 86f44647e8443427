import type {
  AddedItems,
  ConversationItem,
  ConversationKey,
  ItemListing,
  ItemPage,
} from '../../../../serve/ports/state/conversation-store.ts'
import type { Database } from '../../engines/database.ts'
import { inPortions, padded, queryOn } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import type { StoreContext } from '../../store.ts'
import { ConversationItem as ItemShape, type ConversationItem as StoredItem } from '../../stored-shapes.ts'
import { CONVERSATION_ITEMS, CONVERSATIONS, contentPlace } from './conversation-rows.ts'
import { packContent, unpackReply } from './packed-content.ts'
import { withinBytes } from './page-bytes.ts'
import { abandonPieces, addStoredBytes, MissingPiece, piecesOfTurn, writePieces } from './reply-turns.ts'

/** An item that is sealed and whose pieces are written. It has no place in its conversation yet. */
export interface PackedItem extends Pick<StoredItem, 'contentId' | 'pieces' | 'sizeBytes' | 'sealedItem'> {
  readonly added: ConversationItem
}

export async function packItems(
  context: StoreContext,
  { accountId, id: conversationId, nowMs }: ConversationKey,
  { items, onProgress = () => undefined }: AddedItems,
): Promise<readonly PackedItem[]> {
  const packed: PackedItem[] = []
  for (const added of items) {
    const contentId = crypto.randomUUID()
    const { head, pieces } = await packContent({ inputItems: [], reply: added.item }, context.nextTurn)
    const pieceBytes = await writePieces(context, { turnId: contentId, pieces, nowMs }, onProgress)
    const sealedItem = context.secrets.seal(head, contentPlace({ accountId, conversationId, contentId }))
    const sizeBytes = sealedItem.length + pieceBytes
    packed.push({ added, contentId, pieces: pieces.length, sizeBytes, sealedItem })
  }
  return packed
}

const ID_PORTION = 32

const INSERT_ITEMS = planInsert({ table: 'conversation_items', columns: ItemShape.columns })

export interface Insertion extends Pick<AddedItems, 'newId'> {
  readonly accountId: string
  readonly conversationId: string
  /** The position of the first. */
  readonly from: number
}

/** Inserts items in their order. Returns them with the ids that they got. */
export async function insertItems(
  tx: Database,
  packed: readonly PackedItem[],
  { accountId, conversationId, from, newId }: Insertion,
): Promise<readonly ConversationItem[]> {
  const ids = packed.map(({ added }) => added.id)
  const taken = await findTaken(tx, { accountId, conversationId }, ids)
  const placed = packed.map(({ added, ...content }, index) => {
    // Some suppliers use an id more than once.
    const itemId = taken.has(added.id) ? newId(added.item) : added.id
    taken.add(itemId)
    return { accountId, conversationId, position: from + index, itemId, ...content }
  })
  await insertRows(
    tx,
    INSERT_ITEMS,
    placed.map((row) => {
      const columns: Readonly<Record<string, string | bigint>> = ItemShape.toRow(row)
      return ItemShape.columns.map((column) => columns[column] ?? '')
    }),
  )
  return packed.map(({ added }, index) => ({ id: placed[index]?.itemId ?? '', item: added.item }))
}

type InConversation = Pick<StoredItem, 'accountId' | 'conversationId'>

async function findTaken(
  tx: Database,
  conversation: InConversation,
  ids: readonly string[],
): Promise<Set<string>> {
  const taken = new Set<string>()
  for (const portion of inPortions(ids, ID_PORTION)) {
    const rows = await itemsOf(tx, conversation)
      .select('item_id')
      .where('item_id', 'in', padded(portion, ID_PORTION))
      .execute()
    for (const { item_id } of rows) taken.add(item_id)
  }
  return taken
}

function itemsOf(database: Database, { accountId, conversationId }: InConversation) {
  return queryOn(database)
    .selectFrom('conversation_items')
    .where('account_id', '=', accountId)
    .where('conversation_id', '=', conversationId)
}

export async function listItems(
  context: StoreContext,
  { accountId, id: conversationId }: ConversationKey,
  { after, limit, order }: ItemPage,
): Promise<ItemListing | null> {
  const conversation = { accountId, conversationId }
  const { database } = context
  const last = after === null ? null : await findRow(database, conversation, after)
  if (after !== null && last === null) return null
  const sizes = await itemsOf(database, conversation)
    .select(['position', 'size_bytes'])
    .$if(last !== null, (rest) =>
      rest.where('position', order === 'asc' ? '>' : '<', BigInt(last?.position ?? 0)),
    )
    .orderBy('position', order)
    .limit(BigInt(limit + 1))
    .execute()
  const shown = withinBytes(sizes, limit)
  const positions = shown.map(({ position }) => position)
  const [first, end] = [positions.at(0), positions.at(-1)]
  if (first === undefined || end === undefined) return { items: [], hasMore: false }
  const [low, high] = first < end ? [first, end] : [end, first]
  const rows = await itemsOf(database, conversation)
    .select(ItemShape.columns)
    .where('position', '>=', low)
    .where('position', '<=', high)
    .orderBy('position', order)
    .execute()
  const items = await openItems(
    context,
    rows.map((row) => ItemShape.fromRow(row)),
  )
  return { items, hasMore: shown.length < sizes.length }
}

export async function findItem(
  context: StoreContext,
  { accountId, id: conversationId }: ConversationKey,
  itemId: string,
): Promise<ConversationItem | null> {
  const row = await findRow(context.database, { accountId, conversationId }, itemId)
  const [item] = row === null ? [] : await openItems(context, [row])
  return item ?? null
}

function findRow(
  database: Database,
  conversation: InConversation,
  itemId: string,
): Promise<StoredItem | null> {
  return CONVERSATION_ITEMS.find(database, { ...conversation, itemId })
}

const READ_PORTION = 64

/** The items before a position, oldest first. */
export async function readItems(
  context: StoreContext,
  { accountId, id: conversationId }: ConversationKey,
  before: number,
): Promise<readonly ConversationItem[]> {
  const items: ConversationItem[] = []
  let from = 0n
  for (;;) {
    const rows = await itemsOf(context.database, { accountId, conversationId })
      .select(ItemShape.columns)
      .where('position', '>=', from)
      .where('position', '<', BigInt(before))
      .orderBy('position')
      .limit(BigInt(READ_PORTION))
      .execute()
    const opened = await openItems(
      context,
      rows.map((row) => ItemShape.fromRow(row)),
    )
    for (const item of opened) items.push(item)
    const last = rows.at(-1)
    if (last === undefined || rows.length < READ_PORTION) return items
    from = last.position + 1n
    await context.nextTurn()
  }
}

/** Without those that were deleted in the meantime. */
async function openItems(context: StoreContext, rows: readonly StoredItem[]): Promise<ConversationItem[]> {
  const items: ConversationItem[] = []
  for (const row of rows) {
    try {
      const head = context.secrets.open(row.sealedItem, contentPlace(row))
      items.push({ id: row.itemId, item: await unpackReply(head, piecesOfTurn(context, row.contentId)) })
    } catch (problem) {
      if (!(problem instanceof MissingPiece)) throw problem
    }
  }
  return items
}

/** Inside a transaction that has locked the account. False when there was no such item. */
export async function deleteItem(
  tx: Database,
  { accountId, id: conversationId }: ConversationKey,
  itemId: string,
): Promise<boolean> {
  const item = await findRow(tx, { accountId, conversationId }, itemId)
  const conversation = await CONVERSATIONS.find(tx, { accountId, id: conversationId })
  if (item === null || conversation === null) return false
  await CONVERSATION_ITEMS.remove(tx, { accountId, conversationId, position: item.position })
  await abandonPieces(tx, { turnId: item.contentId, pieces: item.pieces })
  const { items, sizeBytes } = conversation
  await CONVERSATIONS.change(
    tx,
    { accountId, id: conversationId },
    { items: items - 1, sizeBytes: sizeBytes - item.sizeBytes },
  )
  await addStoredBytes(tx, accountId, -item.sizeBytes)
  return true
}
