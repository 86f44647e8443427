import type {
  KeptReply,
  ReplyStore,
  StoredConversation,
  StoredTurn,
} from '../../../../gateway/ports/reply-store.ts'
import type { SealedPlace, Sealer } from '../../../../rules/access/server-secret.ts'
import type { Database } from '../../database.ts'
import { eachOf, prepare, queryOn, writeLarge } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import type { Tables } from '../../tables.ts'
import { isWholeHistory, packContent, unpackContent, unpackReply } from './packed-content.ts'
import {
  abandonPieces,
  addStoredBytes,
  type ChainLink,
  deleteUnusedPieces,
  evictReplies,
  findChain,
  followTurn,
  insertTurn,
  keepPieces,
  MissingPiece,
  piecesOfTurn,
  type ReplyParts,
  type ReplyTurn,
  repliesWithTurns,
  replyPlace,
  retireReply,
  writePieces,
} from './reply-turns.ts'

/** The replies that later requests may continue from. */
export function replyStorageOn(parts: ReplyParts): ReplyStore {
  return {
    saveReply: (...saving) => saveReply(parts, ...saving),
    findReply: (accountId, id, nowMs) => findReply(parts, { accountId, id, nowMs }),
    findReplyObject: (accountId, id, nowMs) => findReplyObject(parts, { accountId, id, nowMs }),
    findConversation: (accountId, id, nowMs) => findConversation(parts, { accountId, id, nowMs }),
    findReplyItems: (...wanted) => findReplyItems(parts, ...wanted),
    deleteReply: (accountId, id) => deleteReply(parts, { accountId, id }),
    deleteExpiredReplies: (nowMs, atMost) => deleteExpiredReplies(parts, nowMs, atMost),
  }
}

/** A conversation of more turns is kept whole again every so often, so that none takes long to put together. */
const MAX_LINKS = 500
const EVICTION_PORTION = 50
const EXPIRY_PORTION = 50

/** With a link to the reply it continues from, and by itself when that one is gone. */
async function saveReply(
  parts: ReplyParts,
  ...[reply, items, options = {}]: Parameters<ReplyStore['saveReply']>
): Promise<void> {
  const { previous, onProgress = () => undefined } = options
  const save = (kept: KeptReply, link: string | null) => saveTurn(parts, { kept, items, link }, onProgress)
  if (previous !== undefined && (await save(reply, previous.link))) return
  await save(previous === undefined ? reply : { ...reply, inputItems: previous.wholeInput() }, null)
}

interface SavedTurn {
  readonly kept: KeptReply
  readonly items: ReadonlyMap<string, unknown>
  readonly link: string | null
}

async function saveTurn(
  parts: ReplyParts,
  { kept, items, link }: SavedTurn,
  onProgress: () => void,
): Promise<boolean> {
  const { database, secrets, nextTurn, maxBytesPerAccount } = parts
  const turnId = crypto.randomUUID()
  const { head, pieces } = await packContent(kept, nextTurn)
  const pieceBytes = await writePieces(parts, { turnId, pieces, nowMs: kept.createdAtMs }, onProgress)
  const sealedHead = secrets.seal(head, replyPlace(kept.accountId, kept.id))
  const sealedItems = sealItems(kept, items, secrets)
  const turn = {
    turn_id: turnId,
    account_id: kept.accountId,
    reply_id: kept.id,
    previous_turn_id: link,
    children: 0n,
    created_at_ms: BigInt(kept.createdAtMs),
    size_bytes: BigInt(sealedHead.length + pieceBytes),
    item_bytes: BigInt(sealedItems.reduce((sum, [, , , sealed]) => sum + sealed.length, 0)),
    pieces: BigInt(pieces.length),
  }
  const inserted = await database.transaction((tx) =>
    insertReply(tx, turn, { kept, sealedHead, items: sealedItems, secrets }),
  )
  const isOver = maxBytesPerAccount !== null && inserted.storedBytes > maxBytesPerAccount
  if (isOver) await evict(parts, turn, maxBytesPerAccount)
  if (isOver || inserted.leavesPieces) await deleteUnusedPieces(parts, 0)
  return inserted.isLinked
}

interface SealedReply {
  readonly kept: KeptReply
  readonly sealedHead: string
  readonly items: readonly ItemRow[]
  readonly secrets: Sealer
}

interface Inserted {
  /** False, and as if nothing had been written, when what it links to is gone. */
  readonly isLinked: boolean
  /** What the account has stored now. */
  readonly storedBytes: bigint
  /** Whether there may be pieces that nobody needs any more. */
  readonly leavesPieces: boolean
}

const INSERT_REPLY = prepare((query, given: Tables['kept_replies']) => {
  const { account_id, id, created_at_ms, expires_at_ms, sealed_content } = given
  return query
    .insertInto('kept_replies')
    .values({ account_id, id, created_at_ms, expires_at_ms, sealed_content })
})

async function insertReply(
  tx: Database,
  turn: Omit<ReplyTurn, 'links'>,
  { kept, sealedHead, items, secrets }: SealedReply,
): Promise<Inserted> {
  const { accountId, id } = kept
  const bytes = turn.size_bytes + turn.item_bytes
  const storedBytes = await addStoredBytes(tx, accountId, bytes)
  const before = turn.previous_turn_id === null ? -1n : await followTurn(tx, accountId, turn.previous_turn_id)
  if (before === null) {
    await addStoredBytes(tx, accountId, -bytes)
    await abandonPieces(tx, turn)
    return { isLinked: false, storedBytes: 0n, leavesPieces: true }
  }
  // Some suppliers give one id again and again; the last reply of that id is the one that is found by it.
  const isReplaced = await retireReply(tx, { accountId, id }, secrets)
  await INSERT_REPLY.all(tx, {
    account_id: accountId,
    id,
    created_at_ms: turn.created_at_ms,
    expires_at_ms: BigInt(kept.expiresAtMs),
    sealed_content: sealedHead,
  })
  await insertTurn(tx, { ...turn, links: before + 1n })
  await insertRows(tx, INSERT_ITEMS, items)
  await keepPieces(tx, turn)
  return { isLinked: true, storedBytes, leavesPieces: isReplaced }
}

/** In small portions, so that no other write waits long. */
async function evict(
  { database, nextTurn }: ReplyParts,
  { account_id: accountId, turn_id: spared }: Pick<ReplyTurn, 'account_id' | 'turn_id'>,
  maxBytes: number,
): Promise<void> {
  const eviction = { accountId, maxBytes, spared, atMost: EVICTION_PORTION }
  while (!(await database.transaction((tx) => evictReplies(tx, eviction)))) await nextTurn()
}

interface Wanted {
  readonly accountId: string
  readonly id: string
  readonly nowMs: number
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

function findRow(database: Database, { accountId, id, nowMs }: Wanted) {
  return FIND.first(database, { accountId, id, nowMs: BigInt(nowMs) })
}

function findReply(parts: ReplyParts, wanted: Wanted): Promise<KeptReply | null> {
  return unlessGone(async () => {
    const row = await findRow(parts.database, wanted)
    if (row === undefined) return null
    return {
      id: wanted.id,
      accountId: wanted.accountId,
      createdAtMs: Number(row.created_at_ms),
      expiresAtMs: Number(row.expires_at_ms),
      ...(await openTurn(parts, row.turn_id, openHead(parts, wanted, row.sealed_content))),
    }
  })
}

function findReplyObject(parts: ReplyParts, wanted: Wanted): Promise<KeptReply['reply'] | null> {
  return unlessGone(async () => {
    const row = await findRow(parts.database, wanted)
    if (row === undefined) return null
    return unpackReply(openHead(parts, wanted, row.sealed_content), piecesOfTurn(parts, row.turn_id ?? ''))
  })
}

function findConversation(parts: ReplyParts, wanted: Wanted): Promise<StoredConversation | null> {
  return unlessGone(async () => {
    const row = await findRow(parts.database, wanted)
    if (row === undefined) return null
    const head = openHead(parts, wanted, row.sealed_content)
    if (row.turn_id === null || isWholeHistory(head)) {
      const turns = [await openTurn(parts, row.turn_id, head)]
      return { turns, link: null, sizeBytes: row.sealed_content.length }
    }
    const chain = await findChain(parts.database, wanted.accountId, row.turn_id)
    if (chain === null) return null
    const turns = await openChain(parts, wanted.accountId, chain)
    if (turns === null) return null
    const sizeBytes = chain.reduce((sum, link) => sum + Number(link.size_bytes), 0)
    return { turns, link: Number(row.links) < MAX_LINKS ? row.turn_id : null, sizeBytes }
  })
}

async function unlessGone<Found>(find: () => Promise<Found | null>): Promise<Found | null> {
  try {
    return await find()
  } catch (problem) {
    if (problem instanceof MissingPiece) return null
    throw problem
  }
}

function openHead(
  { secrets }: ReplyParts,
  { accountId, id }: Pick<Wanted, 'accountId' | 'id'>,
  sealed: string,
): string {
  return secrets.open(sealed, replyPlace(accountId, id))
}

function openTurn(parts: ReplyParts, turnId: string | null, head: string): Promise<StoredTurn> {
  return unpackContent(head, piecesOfTurn(parts, turnId ?? ''), parts.nextTurn)
}

// Asked for in portions of one size, so that one statement stays prepared.
const HEAD_PORTION = 16

const FIND_HEADS = prepare((query, given: { accountId: string; [index: number]: string }) =>
  query
    .selectFrom('kept_replies')
    .select(['id', 'sealed_content'])
    .where('account_id', '=', given.accountId)
    .where('id', 'in', eachOf(given, HEAD_PORTION)),
)

/** null when a turn was deleted meanwhile. */
async function openChain(
  parts: ReplyParts,
  accountId: string,
  chain: readonly ChainLink[],
): Promise<readonly StoredTurn[] | null> {
  const turns: StoredTurn[] = []
  for (let start = 0; start < chain.length; start += HEAD_PORTION) {
    const links = chain.slice(start, start + HEAD_PORTION)
    const ids = links.map((link) => link.reply_id)
    const rows = await FIND_HEADS.all(parts.database, { accountId, ...padded(ids, HEAD_PORTION) })
    const heads = new Map(rows.map((row) => [row.id, row.sealed_content]))
    for (const { turn_id, reply_id } of links) {
      const sealed = heads.get(reply_id)
      if (sealed === undefined) return null
      turns.push(await openTurn(parts, turn_id, openHead(parts, { accountId, id: reply_id }, sealed)))
    }
    await parts.nextTurn()
  }
  return turns
}

/** The first is repeated until there are so many. */
function padded(ids: readonly string[], size: number): readonly string[] {
  return [...ids, ...Array.from({ length: size - ids.length }, () => ids[0] ?? '')]
}

const INSERT_ITEMS = planInsert({
  table: 'kept_reply_items',
  columns: ['account_id', 'item_id', 'reply_id', 'sealed_item'],
  ending: `on conflict (account_id, item_id) do update set
    reply_id = excluded.reply_id, sealed_item = excluded.sealed_item`,
})

function itemPlace(accountId: string, itemId: string): SealedPlace {
  return { table: 'kept_reply_items', column: 'sealed_item', id: [accountId, itemId] }
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
  { database, secrets }: ReplyParts,
  ...[accountId, wanted, nowMs]: Parameters<ReplyStore['findReplyItems']>
): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>()
  for (let start = 0; start < wanted.length; start += ITEM_PORTION) {
    const ids = padded(wanted.slice(start, start + ITEM_PORTION), ITEM_PORTION)
    const rows = await FIND_ITEMS.all(database, { accountId, nowMs: BigInt(nowMs), ...ids })
    for (const row of rows) {
      const item = secrets.open(row.sealed_item, itemPlace(accountId, row.item_id))
      found.set(row.item_id, JSON.parse(item))
    }
  }
  return found
}

async function deleteReply(
  parts: ReplyParts,
  { accountId, id }: Pick<Wanted, 'accountId' | 'id'>,
): Promise<boolean> {
  const isDeleted = await parts.database.transaction(async (tx) => {
    await addStoredBytes(tx, accountId, 0n)
    return retireReply(tx, { accountId, id }, parts.secrets)
  })
  await deleteUnusedPieces(parts, 0)
  return isDeleted
}

/** In small portions, so that no other write waits long. */
async function deleteExpiredReplies(parts: ReplyParts, nowMs: number, atMost: number): Promise<number> {
  const { database, nextTurn } = parts
  const expired = await repliesWithTurns(queryOn(database))
    .select(['kept_replies.account_id', 'kept_replies.id', 'reply_turns.turn_id'])
    .where('kept_replies.expires_at_ms', '<=', BigInt(nowMs))
    .limit(atMost)
    .execute()
  const ofAccounts = Map.groupBy(expired, ({ account_id }) => account_id)
  for (const [accountId, replies] of ofAccounts) {
    for (let start = 0; start < replies.length; start += EXPIRY_PORTION) {
      await deleteExpired(parts, accountId, replies.slice(start, start + EXPIRY_PORTION))
      await nextTurn()
    }
  }
  await deleteUnusedPieces(parts, nowMs)
  return expired.length
}

async function deleteExpired(
  { database, secrets }: ReplyParts,
  accountId: string,
  replies: readonly { readonly id: string; readonly turn_id: string | null }[],
): Promise<void> {
  // From before there were turns. Each may be as large as a whole conversation.
  for (const { id } of replies.filter(({ turn_id }) => turn_id === null)) {
    await writeLarge(
      database,
      queryOn(database).deleteFrom('kept_replies').where('account_id', '=', accountId).where('id', '=', id),
    )
  }
  await database.transaction(async (tx) => {
    await addStoredBytes(tx, accountId, 0n)
    for (const { id } of replies) await retireReply(tx, { accountId, id }, secrets)
  })
}
