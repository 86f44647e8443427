import { isDeepStrictEqual } from 'node:util'
import type { TierStep } from '../../../../gateway/ports/storage.ts'
import { Account } from '../../../../vocabulary/account.ts'
import { text, time } from '../../../../vocabulary/field.ts'
import { shape } from '../../../../vocabulary/shape.ts'
import type { Database } from '../../database.ts'
import { queryOn } from '../../query.ts'
import type { StoreMethods } from '../../store.ts'
import { tableOf } from '../../table.ts'
import { ACCOUNTS } from './accounts.ts'

const DOUBTS = tableOf('tier_doubts', shape('TierDoubt', { accountId: text(), sinceMs: time() }), {
  key: ['account_id'],
})
const JOBS = tableOf('scheduled_jobs', shape('ScheduledJob', { name: text(), lastRunMs: time() }), {
  key: ['name'],
})

/** What evaluations of tiers read and change, and when they last ran. */
export const tierStore = {
  loadTierDoubts: async ({ database }) => {
    const doubts = await DOUBTS.list(database)
    return new Map(doubts.map(({ accountId, sinceMs }) => [accountId, sinceMs]))
  },
  takeTierStep: ({ changes }, step, event) => changes.writeIf(event, (tx) => takeTierStep(tx, step)),
  findLastRunMs: async ({ database }, name) => (await JOBS.find(database, { name }))?.lastRunMs ?? null,
  saveLastRunMs: ({ database }, name, lastRunMs) => JOBS.save(database, { name, lastRunMs }),
} satisfies Partial<StoreMethods>

/**
 * Whether it was this call that made the step. Each step is one statement that finds nothing to change once another
 * transaction has made it.
 */
async function takeTierStep(tx: Database, step: TierStep): Promise<boolean> {
  const { accountId } = step
  switch (step.kind) {
    case 'move':
      await DOUBTS.remove(tx, { accountId })
      return (
        (await ACCOUNTS.change(tx, { id: accountId, earnedTier: step.from }, { earnedTier: step.to })) > 0
      )
    case 'doubt':
      return DOUBTS.insert(tx, step, ['account_id'])
    case 'trust':
      return (await DOUBTS.remove(tx, { accountId })) > 0
    case 'end-assignment':
      return endAssignment(tx, step)
  }
}

async function endAssignment(
  tx: Database,
  { accountId, assignment }: Extract<TierStep, { kind: 'end-assignment' }>,
): Promise<boolean> {
  const query = queryOn(tx)
  const ofAccount = query.selectFrom('accounts').select('tier_assignment').where('id', '=', accountId)
  const [row] = await ofAccount.execute()
  const stored = row?.tier_assignment ?? null
  // What it says is compared, since its text may have the fields in another order.
  if (!isDeepStrictEqual(Account.fields.tierAssignment.codec.decode(stored), assignment)) return false
  const ended = await query
    .updateTable('accounts')
    .set({ tier_assignment: null })
    .where('id', '=', accountId)
    .where('tier_assignment', '=', stored)
    .returning('id')
    .execute()
  return ended.length > 0
}
