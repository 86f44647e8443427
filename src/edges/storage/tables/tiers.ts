import type { TierStep } from '../../../gateway/ports/storage.ts'
import { Account } from '../../../vocabulary/account.ts'
import type { Database } from '../database.ts'
import { queryOn, upsert } from '../query.ts'

export async function loadTierDoubts(database: Database): Promise<Map<string, number>> {
  const rows = await queryOn(database).selectFrom('tier_doubts').select(['account_id', 'since_ms']).execute()
  return new Map(rows.map((row) => [row.account_id, Number(row.since_ms)]))
}

/**
 * Whether it was this call that made the step. Each step is one statement that finds nothing to change once another
 * transaction has made it.
 */
export async function takeTierStep(tx: Database, step: TierStep): Promise<boolean> {
  if (step.kind === 'move') await endDoubt(tx, step.accountId)
  return (await makeStep(tx, step)).length > 0
}

function makeStep(tx: Database, step: TierStep): Promise<readonly unknown[]> {
  const { accountId } = step
  const change = queryOn(tx).updateTable('accounts').where('id', '=', accountId).returning('id')
  switch (step.kind) {
    case 'move':
      return change.set({ earned_tier: step.to }).where('earned_tier', '=', step.from).execute()
    case 'doubt':
      return queryOn(tx)
        .insertInto('tier_doubts')
        .values({ account_id: accountId, since_ms: BigInt(step.sinceMs) })
        .onConflict((conflict) => conflict.column('account_id').doNothing())
        .returning('account_id')
        .execute()
    case 'trust':
      return endDoubt(tx, accountId)
    case 'end-assignment': {
      const { tier_assignment } = Account.toChangedRow({ tierAssignment: step.assignment })
      return change
        .set({ tier_assignment: null })
        .where('tier_assignment', '=', tier_assignment ?? null)
        .execute()
    }
  }
}

function endDoubt(tx: Database, accountId: string): Promise<readonly unknown[]> {
  return queryOn(tx)
    .deleteFrom('tier_doubts')
    .where('account_id', '=', accountId)
    .returning('account_id')
    .execute()
}

export async function findLastRunMs(database: Database, jobName: string): Promise<number | null> {
  const [row] = await queryOn(database)
    .selectFrom('scheduled_jobs')
    .select('last_run_ms')
    .where('name', '=', jobName)
    .execute()
  return row === undefined ? null : Number(row.last_run_ms)
}

export function saveLastRunMs(database: Database, jobName: string, atMs: number): Promise<void> {
  return upsert(
    database,
    { table: 'scheduled_jobs', key: ['name'] },
    { name: jobName, last_run_ms: BigInt(atMs) },
  )
}
