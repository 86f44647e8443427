import { sql } from 'kysely'
import type { SealedPlace } from '../../../../rules/access/server-secret.ts'
import { decodeJournalLine } from '../../../../rules/ledger/journal-line.ts'
import {
  type BackgroundReply,
  type BackgroundStore,
  NoLongerRunning,
  type ReplyKey,
} from '../../../../serve/ports/state/background-store.ts'
import type { AdmissionRecord } from '../../../../vocabulary/settlement.ts'
import { prepare, queryOn } from '../../query.ts'
import type { StoreContext, StoreMethods } from '../../store.ts'
import { StoredBackground, StoredEnding, StoredEvents } from '../../stored-shapes.ts'
import { tableOf } from '../../table.ts'
import type { Tables } from '../../tables.ts'
import { SEALED_COLUMNS } from '../supply/sealed-columns.ts'
import { BACKGROUND, claimEnd } from './background-rows.ts'
import { evictStored } from './evict-stored.ts'
import { addStoredBytes, TURNS } from './reply-turns.ts'

const EVENTS = tableOf('background_events', StoredEvents, { key: ['batch_id'] })
const ENDINGS = tableOf('background_endings', StoredEnding, { key: ['account_id', 'reply_id'] })

/** Replies that are made in the background. */
export const backgroundStore = {
  findBackground: async ({ database }, { accountId, id }) => {
    const found = await BACKGROUND.find(database, { accountId, id })
    return found === null ? null : readBackground(found)
  },
  findEnding: async ({ database, secrets }, { accountId, id }) => {
    const found = await ENDINGS.find(database, { accountId, replyId: id })
    return found === null ? null : JSON.parse(secrets.open(found.sealedReply, endingPlace({ accountId, id })))
  },
  listRunning: async ({ database }, nodeId) => {
    const rows = await LIST_RUNNING.all(database, { nodeId })
    return rows.map(({ account_id, id }) => ({ accountId: account_id, id }))
  },
  listLost: async ({ database }, livingNodes, atMost) => {
    const rows = await queryOn(database)
      .selectFrom('background_replies')
      .select(StoredBackground.columns)
      .where('running_on', 'is not', null)
      .where('running_on', 'not in', livingNodes)
      .limit(atMost)
      .execute()
    return rows.map((row) => readBackground(StoredBackground.fromRow(row)))
  },
  noteProgress: async ({ database }, { accountId, id, nodeId }) => {
    const running = { accountId, id, runningOn: nodeId }
    const changed = await BACKGROUND.change(database, running, { status: 'in_progress' })
    if (changed === 0) throw new NoLongerRunning()
  },
  appendEvents,
  listEvents,
  endBackground,
} satisfies Partial<StoreMethods>

const LIST_RUNNING = prepare((query, given: { nodeId: string }) =>
  query.selectFrom('background_replies').select(['account_id', 'id']).where('running_on', '=', given.nodeId),
)

function readBackground({ admission, ...row }: ReturnType<typeof StoredBackground.fromRow>): BackgroundReply {
  const { accountId, id, runningOn, status, isStreamed, events } = row
  return { accountId, id, runningOn, status, isStreamed, events, admission: readAdmission(admission) }
}

/** It is stored as the journal has it. */
function readAdmission(line: string): AdmissionRecord {
  const read = decodeJournalLine(line)
  if (read?.type !== 'open') throw new Error('The admission of a background reply cannot be read.')
  return read.record
}

function batchPlace(batchId: string): SealedPlace {
  return { ...SEALED_COLUMNS.events, id: [batchId] }
}

function endingPlace({ accountId, id }: ReplyKey): SealedPlace {
  return { ...SEALED_COLUMNS.endings, id: [accountId, id] }
}

const COUNT_EVENTS = prepare(
  (query, given: { accountId: string; id: string; nodeId: string; events: bigint; bytes: bigint }) =>
    query
      .updateTable('background_replies')
      .set((row) => ({ events: given.events, event_bytes: row('event_bytes', '+', given.bytes) }))
      .where('account_id', '=', given.accountId)
      .where('id', '=', given.id)
      .where('running_on', '=', given.nodeId)
      .returning('id'),
)

async function appendEvents(
  parts: StoreContext,
  ...[{ accountId, id, nodeId }, { first, frames }]: Parameters<BackgroundStore['appendEvents']>
): Promise<void> {
  const { database, secrets, maxReplyBytesPerAccount: maxBytes } = parts
  const batchId = crypto.randomUUID()
  const sealedFrames = secrets.seal(JSON.stringify(frames), batchPlace(batchId))
  const bytes = sealedFrames.length
  const storedBytes = await database.transaction(async (tx) => {
    const sum = await addStoredBytes(tx, accountId, bytes)
    const events = BigInt(first + frames.length)
    const row = await COUNT_EVENTS.first(tx, { accountId, id, nodeId, events, bytes: BigInt(bytes) })
    if (row === undefined) throw new NoLongerRunning()
    await EVENTS.insert(tx, { batchId, accountId, replyId: id, firstNumber: first, sealedFrames })
    return sum
  })
  if (maxBytes === null || storedBytes <= maxBytes) return
  const turn = await TURNS.find(database, { accountId, replyId: id })
  if (turn !== null) await evictStored(parts, { accountId: turn.accountId, spared: turn.turnId }, maxBytes)
}

// Each may be large.
const BATCHES_AT_ONCE = 16

/** The batch that has the wanted event may begin before it. */
const LIST_EVENTS = prepare((query, given: { accountId: string; id: string; next: bigint }) =>
  query
    .selectFrom('background_events')
    .select(['batch_id', 'first_number', 'sealed_frames'])
    .where('account_id', '=', given.accountId)
    .where('reply_id', '=', given.id)
    .where(
      'first_number',
      '>=',
      sql<bigint>`coalesce((${query
        .selectFrom('background_events')
        .select((row) => row.fn.max<bigint | null>('first_number').as('first'))
        .where('account_id', '=', given.accountId)
        .where('reply_id', '=', given.id)
        .where('first_number', '<=', given.next)}), 0)`,
    )
    .orderBy('first_number')
    .limit(BATCHES_AT_ONCE),
)

async function listEvents(
  { database, secrets }: StoreContext,
  ...[{ accountId, id }, after]: Parameters<BackgroundStore['listEvents']>
): ReturnType<BackgroundStore['listEvents']> {
  const rows = await LIST_EVENTS.all(database, { accountId, id, next: BigInt(after + 1) })
  return rows.flatMap(
    (row: Pick<Tables['background_events'], 'batch_id' | 'first_number' | 'sealed_frames'>) => {
      const frames: string[] = JSON.parse(secrets.open(row.sealed_frames, batchPlace(row.batch_id)))
      const first = Number(row.first_number)
      const skipped = Math.max(0, after + 1 - first)
      return skipped >= frames.length ? [] : [{ first: first + skipped, frames: frames.slice(skipped) }]
    },
  )
}

async function endBackground(
  { database, secrets }: StoreContext,
  ...[running, { status, reply }]: Parameters<BackgroundStore['endBackground']>
): Promise<boolean> {
  const { accountId, id } = running
  const sealedReply = secrets.seal(JSON.stringify(reply), endingPlace(running))
  try {
    await database.transaction(async (tx) => {
      await claimEnd(tx, running, status)
      await ENDINGS.insert(tx, { accountId, replyId: id, sealedReply })
    })
    return true
  } catch (problem) {
    if (problem instanceof NoLongerRunning) return false
    throw problem
  }
}
