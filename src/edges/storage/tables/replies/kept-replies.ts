import type { SealedPlace, Sealer } from '../../../../rules/access/server-secret.ts'
import type { ReplyKey } from '../../../../serve/ports/state/background-store.ts'
import type {
  BackgroundStep,
  KeptReply,
  ReplyStore,
  StoredTurn,
} from '../../../../serve/ports/state/reply-store.ts'
import type { Database } from '../../engines/database.ts'
import { eachOf, inPortions, padded, prepare, queryOn, writeLarge } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import type { StoreContext, StoreMethods } from '../../store.ts'
import { ReplyItem, type ReplyTurn } from '../../stored-shapes.ts'
import { SEALED_COLUMNS } from '../supply/sealed-columns.ts'
import { removeBackground, takeStep } from './background-rows.ts'
import { evictStored } from './evict-stored.ts'
import { isWholeHistory, packContent, unpackContent, unpackReply } from './packed-content.ts'
import {
  abandonPieces,
  addStoredBytes,
  type ChainLink,
  deleteUnusedPieces,
  findChain,
  followTurn,
  keepPieces,
  MissingPiece,
  piecesOfTurn,
  REPLIES,
  repliesWithTurns,
  replyPlace,
  retireReply,
  TURNS,
  writePieces,
} from './reply-turns.ts'

/** Replies that later requests may continue. */
export const replyStore = {
  saveReply,
  findReply: (context, ...wanted) =>
    whenFound(context, wanted, async (row, head) => ({
      id: wanted[1],
      accountId: wanted[0],
      createdAtMs: Number(row.created_at_ms),
      expiresAtMs: Number(row.expires_at_ms),
      ...(await openTurn(context, row.turn_id, head)),
    })),
  findReplyObject: (context, ...wanted) =>
    whenFound(context, wanted, (row, head) => unpackReply(head, piecesOfTurn(context, row.turn_id ?? ''))),
  findConversation: (context, ...wanted) =>
    whenFound(context, wanted, async (row, head) => {
      if (row.turn_id === null || isWholeHistory(head)) {
        const turns = [await openTurn(context, row.turn_id, head)]
        return { turns, link: null, sizeBytes: row.sealed_content.length }
      }
      const [accountId] = wanted
      const chain = await findChain(context.database, accountId, row.turn_id)
      if (chain === null) return null
      const turns = await openChain(context, accountId, chain)
      if (turns === null) return null
      const sizeBytes = chain.reduce((sum, link) => sum + Number(link.size_bytes), 0)
      return { turns, link: Number(row.links) < MAX_LINKS ? row.turn_id : null, sizeBytes }
    }),
  findReplyItems,
  deleteReply,
  deleteExpiredReplies,
} satisfies Partial<StoreMethods>

/** After this many turns a conversation is stored whole again, so that reading it never takes long. */
const MAX_LINKS = 500
const EXPIRY_PORTION = 50

/** Stores a reply with a link to the one it continues, or without a link when that one was deleted. */
async function saveReply(
  parts: StoreContext,
  ...[reply, items, options = {}]: Parameters<ReplyStore['saveReply']>
): Promise<void> {
  const { previous, background, onProgress = () => undefined } = options
  const save = (kept: KeptReply, link: string | null) =>
    saveTurn(parts, { kept, items, link, background }, onProgress)
  if (previous !== undefined && (await save(reply, previous.link))) return
  await save(previous === undefined ? reply : { ...reply, inputItems: previous.wholeInput() }, null)
}

interface SavedTurn {
  readonly kept: KeptReply
  readonly items: ReadonlyMap<string, unknown>
  readonly link: string | null
  readonly background: BackgroundStep | undefined
}

async function saveTurn(
  parts: StoreContext,
  { kept, items, link, background }: SavedTurn,
  onProgress: () => void,
): Promise<boolean> {
  const { database, secrets, nextTurn, maxReplyBytesPerAccount: maxBytesPerAccount } = parts
  const turnId = crypto.randomUUID()
  const { head, pieces } = await packContent(kept, nextTurn)
  const pieceBytes = await writePieces(parts, { turnId, pieces, nowMs: kept.createdAtMs }, onProgress)
  const sealedHead = secrets.seal(head, replyPlace(kept.accountId, kept.id))
  const sealedItems = sealItems(kept, items, secrets)
  const turn = {
    turnId,
    accountId: kept.accountId,
    replyId: kept.id,
    previousTurnId: link,
    children: 0,
    createdAtMs: kept.createdAtMs,
    sizeBytes: sealedHead.length + pieceBytes,
    itemBytes: sealedItems.reduce((sum, [, , , sealed]) => sum + sealed.length, 0),
    pieces: pieces.length,
  }
  const inserted = await database.transaction((tx) =>
    insertReply(tx, turn, { kept, sealedHead, items: sealedItems, secrets, background }),
  )
  const isOver = maxBytesPerAccount !== null && inserted.storedBytes > maxBytesPerAccount
  if (isOver) await evictStored(parts, { accountId: kept.accountId, spared: turnId }, maxBytesPerAccount)
  if (isOver || inserted.leavesPieces) await deleteUnusedPieces(parts, 0)
  return inserted.isLinked
}

interface SealedReply {
  readonly kept: KeptReply
  readonly sealedHead: string
  readonly items: readonly ItemRow[]
  readonly secrets: Sealer
  readonly background: BackgroundStep | undefined
}

interface Inserted {
  /** False when the linked reply was deleted. Then nothing was written. */
  readonly isLinked: boolean
  /** The account's stored bytes. */
  readonly storedBytes: number
  /** Whether there may be unused pieces. */
  readonly leavesPieces: boolean
}

async function insertReply(
  tx: Database,
  turn: Omit<ReplyTurn, 'links'>,
  { kept, sealedHead, items, secrets, background }: SealedReply,
): Promise<Inserted> {
  const { accountId, id, createdAtMs, expiresAtMs } = kept
  const bytes = turn.sizeBytes + turn.itemBytes
  const storedBytes = await addStoredBytes(tx, accountId, bytes)
  const before = turn.previousTurnId === null ? -1 : await followTurn(tx, accountId, turn.previousTurnId)
  if (before === null) {
    await addStoredBytes(tx, accountId, -bytes)
    await abandonPieces(tx, turn)
    return { isLinked: false, storedBytes: 0, leavesPieces: true }
  }
  if (background !== undefined) await takeStep(tx, kept, background)
  // Some suppliers reuse ids. The last reply with an id is the one that is found.
  const isReplaced = await retireReply(tx, { accountId, id }, secrets)
  await REPLIES.insert(tx, { accountId, id, createdAtMs, expiresAtMs, sealedContent: sealedHead })
  await TURNS.insert(tx, { ...turn, links: before + 1 })
  await insertRows(tx, INSERT_ITEMS, items)
  await keepPieces(tx, turn)
  return { isLinked: true, storedBytes, leavesPieces: isReplaced }
}

const FIND = prepare((query, given: { accountId: string; id: string; nowMs: bigint }) =>
  repliesWithTurns(query)
    .select([
      'kept_replies.created_at_ms',
      'kept_replies.expires_at_ms',
      'kept_replies.sealed_content',
      'reply_turns.turn_id',
      'reply_turns.links',
    ])
    .where('kept_replies.account_id', '=', given.accountId)
    .where('kept_replies.id', '=', given.id)
    .where('kept_replies.expires_at_ms', '>', given.nowMs),
)

type FoundReply = NonNullable<Awaited<ReturnType<typeof FIND.first>>>

/** null also when it is deleted in the meantime. */
async function whenFound<Found>(
  { database, secrets }: StoreContext,
  [accountId, id, nowMs]: Parameters<ReplyStore['findReply']>,
  read: (row: FoundReply, head: string) => Promise<Found | null>,
): Promise<Found | null> {
  const row = await FIND.first(database, { accountId, id, nowMs: BigInt(nowMs) })
  if (row === undefined) return null
  try {
    return await read(row, secrets.open(row.sealed_content, replyPlace(accountId, id)))
  } catch (problem) {
    if (problem instanceof MissingPiece) return null
    throw problem
  }
}

function openTurn(parts: StoreContext, turnId: string | null, head: string): Promise<StoredTurn> {
  return unpackContent(head, piecesOfTurn(parts, turnId ?? ''), parts.nextTurn)
}

// Each may be large.
const HEAD_PORTION = 16

/** null when a turn was deleted in the meantime. */
async function openChain(
  parts: StoreContext,
  accountId: string,
  chain: readonly ChainLink[],
): Promise<readonly StoredTurn[] | null> {
  const turns: StoredTurn[] = []
  for (const links of inPortions(chain, HEAD_PORTION)) {
    const among = { field: 'id', values: links.map((link) => link.reply_id) } as const
    const replies = await REPLIES.listOf(parts.database, among, { accountId })
    const heads = new Map(replies.map(({ id, sealedContent }) => [id, sealedContent]))
    for (const { turn_id, reply_id } of links) {
      const sealed = heads.get(reply_id)
      if (sealed === undefined) return null
      const head = parts.secrets.open(sealed, replyPlace(accountId, reply_id))
      turns.push(await openTurn(parts, turn_id, head))
    }
    await parts.nextTurn()
  }
  return turns
}

const INSERT_ITEMS = planInsert({
  table: 'kept_reply_items',
  columns: ReplyItem.columns,
  ending: `on conflict (account_id, item_id) do update set
    reply_id = excluded.reply_id, sealed_item = excluded.sealed_item`,
})

function itemPlace(accountId: string, itemId: string): SealedPlace {
  return { ...SEALED_COLUMNS.items, id: [accountId, itemId] }
}

type ItemRow = readonly [accountId: string, itemId: string, replyId: string, sealed: string]

function sealItems(
  { accountId, id: replyId }: KeptReply,
  items: ReadonlyMap<string, unknown>,
  secrets: Sealer,
): readonly ItemRow[] {
  return [...items].map(([id, item]) => [
    accountId,
    id,
    replyId,
    secrets.seal(JSON.stringify(item), itemPlace(accountId, id)),
  ])
}

const ITEM_PORTION = 32

const FIND_ITEMS = prepare((query, given: { accountId: string; nowMs: bigint; [index: number]: string }) =>
  query
    .selectFrom('kept_reply_items')
    .innerJoin('kept_replies', (reply) =>
      reply
        .onRef('kept_replies.account_id', '=', 'kept_reply_items.account_id')
        .onRef('kept_replies.id', '=', 'kept_reply_items.reply_id'),
    )
    .select(['kept_reply_items.item_id', 'kept_reply_items.sealed_item'])
    .where('kept_reply_items.account_id', '=', given.accountId)
    .where('kept_replies.expires_at_ms', '>', given.nowMs)
    .where('kept_reply_items.item_id', 'in', eachOf(given, ITEM_PORTION)),
)

async function findReplyItems(
  { database, secrets }: StoreContext,
  ...[accountId, wanted, nowMs]: Parameters<ReplyStore['findReplyItems']>
): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>()
  for (const ids of inPortions(wanted, ITEM_PORTION)) {
    const given = { accountId, nowMs: BigInt(nowMs), ...padded(ids, ITEM_PORTION) }
    const rows = await FIND_ITEMS.all(database, given)
    for (const row of rows) {
      const item = secrets.open(row.sealed_item, itemPlace(accountId, row.item_id))
      found.set(row.item_id, JSON.parse(item))
    }
  }
  return found
}

async function deleteReply(parts: StoreContext, accountId: string, id: string): Promise<boolean> {
  const isDeleted = await parts.database.transaction(async (tx) => {
    await addStoredBytes(tx, accountId, 0)
    return removeReply(tx, { accountId, id }, parts.secrets)
  })
  await deleteUnusedPieces(parts, 0)
  return isDeleted
}

/** Hides a reply and deletes its events. */
async function removeReply(tx: Database, key: ReplyKey, secrets: Sealer): Promise<boolean> {
  const eventBytes = await removeBackground(tx, key)
  if (eventBytes > 0) await addStoredBytes(tx, key.accountId, -eventBytes)
  return retireReply(tx, key, secrets)
}

/** In small portions, so that no other write waits long. */
async function deleteExpiredReplies(parts: StoreContext, nowMs: number, atMost: number): Promise<number> {
  const { database, nextTurn } = parts
  const expired = await repliesWithTurns(queryOn(database))
    .select(['kept_replies.account_id', 'kept_replies.id', 'reply_turns.turn_id'])
    .where('kept_replies.expires_at_ms', '<=', BigInt(nowMs))
    .limit(atMost)
    .execute()
  const ofAccounts = Map.groupBy(expired, ({ account_id }) => account_id)
  for (const [accountId, replies] of ofAccounts) {
    for (const portion of inPortions(replies, EXPIRY_PORTION)) {
      await deleteExpired(parts, accountId, portion)
      await nextTurn()
    }
  }
  await deleteUnusedPieces(parts, nowMs)
  return expired.length
}

async function deleteExpired(
  { database, secrets }: StoreContext,
  accountId: string,
  replies: readonly { readonly id: string; readonly turn_id: string | null }[],
): Promise<void> {
  // Replies of earlier versions. Each may be as large as a whole conversation.
  for (const { id } of replies.filter(({ turn_id }) => turn_id === null)) {
    await writeLarge(
      database,
      queryOn(database).deleteFrom('kept_replies').where('account_id', '=', accountId).where('id', '=', id),
    )
  }
  await database.transaction(async (tx) => {
    await addStoredBytes(tx, accountId, 0)
    for (const { id } of replies) await removeReply(tx, { accountId, id }, secrets)
  })
}
