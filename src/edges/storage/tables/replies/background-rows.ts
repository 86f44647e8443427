import { encodeJournalLine } from '../../../../rules/ledger/journal-line.ts'
import {
  type BackgroundBeginning,
  NoLongerRunning,
  type ReplyKey,
  type RunningReply,
  TooManyRunning,
} from '../../../../serve/ports/state/background-store.ts'
import type { BackgroundStep, KeptReply } from '../../../../serve/ports/state/reply-store.ts'
import type { Database } from '../../engines/database.ts'
import { prepare } from '../../query.ts'
import { StoredBackground } from '../../stored-shapes.ts'
import { tableOf } from '../../table.ts'

export const BACKGROUND = tableOf('background_replies', StoredBackground, { key: ['account_id', 'id'] })

/** Inside a transaction that has locked the account's stored bytes: begins or completes a reply with its kept one. */
export async function takeStep(tx: Database, kept: KeptReply, step: BackgroundStep): Promise<void> {
  if ('begins' in step) return begin(tx, kept, step.begins)
  const { accountId, id } = kept
  await claimEnd(tx, { accountId, id, nodeId: step.endsOn }, step.status)
}

const COUNT_RUNNING = prepare((query, given: { accountId: string }) =>
  query
    .selectFrom('background_replies')
    .select((row) => row.fn.countAll<bigint>().as('running'))
    .where('account_id', '=', given.accountId)
    .where('running_on', 'is not', null),
)

async function begin(
  tx: Database,
  { accountId, id, createdAtMs }: KeptReply,
  { nodeId, isStreamed, admission, maxRunning }: BackgroundBeginning,
): Promise<void> {
  const counted = await COUNT_RUNNING.first(tx, { accountId })
  if (Number(counted?.running ?? 0) >= maxRunning) throw new TooManyRunning()
  await BACKGROUND.insert(tx, {
    accountId,
    id,
    runningOn: nodeId,
    status: 'queued',
    isStreamed,
    requestId: admission.requestId,
    admission: encodeJournalLine({ type: 'open', record: admission }),
    createdAtMs,
    events: 0,
    eventBytes: 0,
  })
}

/** Ends a reply unless somebody else has. Of all that try, one succeeds. */
export async function claimEnd(
  tx: Database,
  { accountId, id, nodeId }: RunningReply,
  status: 'completed' | 'incomplete' | 'failed' | 'cancelled',
): Promise<void> {
  const ended = await BACKGROUND.change(tx, { accountId, id, runningOn: nodeId }, { runningOn: null, status })
  if (ended === 0) throw new NoLongerRunning()
}

const REMOVE = prepare((query, given: { accountId: string; id: string }) =>
  query
    .deleteFrom('background_replies')
    .where('account_id', '=', given.accountId)
    .where('id', '=', given.id)
    .returning('event_bytes'),
)

/** Forgets that a reply was made in the background, with its events. Returns their size in bytes. */
export async function removeBackground(tx: Database, { accountId, id }: ReplyKey): Promise<number> {
  const removed = await REMOVE.first(tx, { accountId, id })
  return Number(removed?.event_bytes ?? 0)
}
