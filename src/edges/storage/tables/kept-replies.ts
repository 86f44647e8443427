import type {
  KeptReply,
  SaveOptions,
  StoredConversation,
  StoredTurn,
} from '../../../gateway/ports/reply-store.ts'
import type { Sealer } from '../../../rules/access/server-secret.ts'
import type { Database } from '../database.ts'
import { isWholeHistory, packContent, unpackContent, unpackReply } from '../packed-content.ts'
import { insertReplyItems, type SealedItem, sealItems } from './kept-reply-items.ts'
import {
  abandonPieces,
  deleteUnusedPieces,
  MissingPiece,
  piecesOfTurn,
  type ReplyParts,
  writePieces,
} from './kept-reply-pieces.ts'
import {
  addStoredBytes,
  evictReplies,
  findChain,
  followTurn,
  insertTurn,
  type ReplyTurn,
  replyPlace,
  retireReply,
} from './reply-turns.ts'

/** A conversation of more turns is kept whole again every so often, so that none takes long to put together. */
export const MAX_LINKS = 500
const EVICTION_PORTION = 50
const EXPIRY_PORTION = 50

export interface Saving {
  readonly reply: KeptReply
  readonly items: ReadonlyMap<string, unknown>
  readonly options: SaveOptions
}

/** With a link to the reply it continues from, and by itself when that one is gone. */
export async function saveReply(parts: ReplyParts, { reply, items, options }: Saving): Promise<void> {
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
  const sealedItems = sealItems(kept.accountId, items, secrets)
  const turn = {
    turnId,
    accountId: kept.accountId,
    replyId: kept.id,
    previousTurnId: link,
    createdAtMs: kept.createdAtMs,
    sizeBytes: sealedHead.length + pieceBytes,
    itemBytes: sealedItems.reduce((sum, { sealed }) => sum + sealed.length, 0),
    pieces: pieces.length,
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
  readonly items: readonly SealedItem[]
  readonly secrets: Sealer
}

interface Inserted {
  /** False, and as if nothing had been written, when what it links to is gone. */
  readonly isLinked: boolean
  /** What the account has stored now. */
  readonly storedBytes: number
  /** Whether there may be pieces that nobody needs any more. */
  readonly leavesPieces: boolean
}

async function insertReply(
  tx: Database,
  turn: Omit<ReplyTurn, 'links'>,
  { kept, sealedHead, items, secrets }: SealedReply,
): Promise<Inserted> {
  const { accountId, id } = kept
  const bytes = turn.sizeBytes + turn.itemBytes
  const storedBytes = await addStoredBytes(tx, accountId, bytes)
  const before = turn.previousTurnId === null ? -1 : await followTurn(tx, accountId, turn.previousTurnId)
  if (before === null) {
    await addStoredBytes(tx, accountId, -bytes)
    await abandonPieces(tx, turn.turnId, turn.pieces)
    return { isLinked: false, storedBytes: 0, leavesPieces: true }
  }
  // Some suppliers give one id again and again; the last reply of that id is the one that is found by it.
  const isReplaced = await retireReply(tx, { accountId, id }, secrets)
  await tx.rows(
    `insert into kept_replies (account_id, id, created_at_ms, expires_at_ms, sealed_content)
    values ($1, $2, $3, $4, $5)`,
    [accountId, id, BigInt(kept.createdAtMs), BigInt(kept.expiresAtMs), sealedHead],
  )
  await insertTurn(tx, { ...turn, links: before + 1 })
  await insertReplyItems(tx, kept, items)
  if (turn.pieces > 0) await tx.rows('delete from unused_reply_pieces where turn_id = $1', [turn.turnId])
  return { isLinked: true, storedBytes, leavesPieces: isReplaced }
}

/** In small portions, so that no other write waits long. */
async function evict(
  { database, nextTurn }: ReplyParts,
  { accountId, turnId }: Pick<ReplyTurn, 'accountId' | 'turnId'>,
  maxBytes: number,
): Promise<void> {
  const eviction = { accountId, maxBytes, spared: turnId, atMost: EVICTION_PORTION }
  while (!(await database.transaction((tx) => evictReplies(tx, eviction)))) await nextTurn()
}

export interface Wanted {
  readonly accountId: string
  readonly id: string
  readonly nowMs: number
}

interface KeptReplyRow {
  readonly created_at_ms: bigint
  readonly expires_at_ms: bigint
  readonly sealed_content: string
  readonly turn_id: string | null
  readonly links: bigint | null
}

async function findRow(database: Database, { accountId, id, nowMs }: Wanted): Promise<KeptReplyRow | null> {
  const [row] = await database.rows<KeptReplyRow>(
    `select kept_replies.created_at_ms, kept_replies.expires_at_ms, kept_replies.sealed_content,
      reply_turns.turn_id, reply_turns.links
    from kept_replies
    left join reply_turns on reply_turns.account_id = kept_replies.account_id
      and reply_turns.reply_id = kept_replies.id
    where kept_replies.account_id = $1 and kept_replies.id = $2 and kept_replies.expires_at_ms > $3`,
    [accountId, id, BigInt(nowMs)],
  )
  return row ?? null
}

export function findReply(parts: ReplyParts, wanted: Wanted): Promise<KeptReply | null> {
  return unlessGone(async () => {
    const row = await findRow(parts.database, wanted)
    if (row === null) return null
    return {
      id: wanted.id,
      accountId: wanted.accountId,
      createdAtMs: Number(row.created_at_ms),
      expiresAtMs: Number(row.expires_at_ms),
      ...(await openTurn(parts, row.turn_id, openHead(parts, wanted, row.sealed_content))),
    }
  })
}

export function findReplyObject(parts: ReplyParts, wanted: Wanted): Promise<KeptReply['reply'] | null> {
  return unlessGone(async () => {
    const row = await findRow(parts.database, wanted)
    if (row === null) return null
    return unpackReply(openHead(parts, wanted, row.sealed_content), piecesOfTurn(parts, row.turn_id ?? ''))
  })
}

export function findConversation(parts: ReplyParts, wanted: Wanted): Promise<StoredConversation | null> {
  return unlessGone(async () => {
    const row = await findRow(parts.database, wanted)
    if (row === null) return null
    const head = openHead(parts, wanted, row.sealed_content)
    if (row.turn_id === null || isWholeHistory(head)) {
      const turns = [await openTurn(parts, row.turn_id, head)]
      return { turns, link: null, sizeBytes: row.sealed_content.length }
    }
    const chain = await findChain(parts.database, wanted.accountId, row.turn_id)
    if (chain === null) return null
    const turns = await openChain(parts, wanted.accountId, chain)
    if (turns === null) return null
    const sizeBytes = chain.reduce((sum, link) => sum + link.sizeBytes, 0)
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
const PORTION = 16
const SELECT_HEADS = `select id, sealed_content from kept_replies
  where account_id = $1 and id in (${Array.from({ length: PORTION }, (_, index) => `$${index + 2}`).join(', ')})`

type Chain = NonNullable<Awaited<ReturnType<typeof findChain>>>

/** null when a turn was deleted meanwhile. */
async function openChain(
  parts: ReplyParts,
  accountId: string,
  chain: Chain,
): Promise<readonly StoredTurn[] | null> {
  const turns: StoredTurn[] = []
  for (let start = 0; start < chain.length; start += PORTION) {
    const links = chain.slice(start, start + PORTION)
    const ids = Array.from(
      { length: PORTION },
      (_, index) => links[index]?.replyId ?? links[0]?.replyId ?? '',
    )
    const rows = await parts.database.rows<{ id: string; sealed_content: string }>(SELECT_HEADS, [
      accountId,
      ...ids,
    ])
    const heads = new Map(rows.map((row) => [row.id, row.sealed_content]))
    for (const { turnId, replyId } of links) {
      const sealed = heads.get(replyId)
      if (sealed === undefined) return null
      turns.push(await openTurn(parts, turnId, openHead(parts, { accountId, id: replyId }, sealed)))
    }
    await parts.nextTurn()
  }
  return turns
}

export async function deleteReply(
  parts: ReplyParts,
  { accountId, id }: Pick<Wanted, 'accountId' | 'id'>,
): Promise<boolean> {
  const isDeleted = await parts.database.transaction(async (tx) => {
    await addStoredBytes(tx, accountId, 0)
    return retireReply(tx, { accountId, id }, parts.secrets)
  })
  await deleteUnusedPieces(parts, 0)
  return isDeleted
}

interface ExpiredRow {
  readonly account_id: string
  readonly id: string
  readonly turn_id: string | null
}

/** In small portions, so that no other write waits long. */
export async function deleteExpiredReplies(
  parts: ReplyParts,
  nowMs: number,
  atMost: number,
): Promise<number> {
  const { database, nextTurn } = parts
  const expired = await database.rows<ExpiredRow>(
    `select kept_replies.account_id, kept_replies.id, reply_turns.turn_id
    from kept_replies
    left join reply_turns on reply_turns.account_id = kept_replies.account_id
      and reply_turns.reply_id = kept_replies.id
    where kept_replies.expires_at_ms <= $1 limit $2`,
    [BigInt(nowMs), BigInt(atMost)],
  )
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
  replies: readonly ExpiredRow[],
): Promise<void> {
  // From before there were turns. Each may be as large as a whole conversation.
  for (const { id } of replies.filter(({ turn_id }) => turn_id === null)) {
    await database.writeLarge('delete from kept_replies where account_id = $1 and id = $2', [accountId, id])
  }
  await database.transaction(async (tx) => {
    await addStoredBytes(tx, accountId, 0)
    for (const { id } of replies) await retireReply(tx, { accountId, id }, secrets)
  })
}
