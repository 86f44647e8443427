import { isDeepStrictEqual } from 'node:util'
import type { TierStep } from '../../../../gateway/ports/storage.ts'
import { Account } from '../../../../vocabulary/account.ts'
import type { Database } from '../../database.ts'
import { queryOn, upsert } from '../../query.ts'

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
  switch (step.kind) {
    case 'move':
      return queryOn(tx)
        .updateTable('accounts')
        .set({ earned_tier: step.to })
        .where('id', '=', accountId)
        .where('earned_tier', '=', step.from)
        .returning('id')
        .execute()
    case 'doubt':
      return queryOn(tx)
        .insertInto('tier_doubts')
        .values({ account_id: accountId, since_ms: BigInt(step.sinceMs) })
        .onConflict((conflict) => conflict.column('account_id').doNothing())
        .returning('account_id')
        .execute()
    case 'trust':
      return endDoubt(tx, accountId)
    case 'end-assignment':
      return endAssignment(tx, step)
  }
}

async function endAssignment(
  tx: Database,
  { accountId, assignment }: Extract<TierStep, { kind: 'end-assignment' }>,
): Promise<readonly unknown[]> {
  const query = queryOn(tx)
  const ofAccount = query.selectFrom('accounts').select('tier_assignment').where('id', '=', accountId)
  const [row] = await ofAccount.execute()
  const stored = row?.tier_assignment ?? null
  // What it says is compared, since its text may have the fields in another order.
  if (!isDeepStrictEqual(Account.fields.tierAssignment.codec.decode(stored), assignment)) return []
  return query
    .updateTable('accounts')
    .set({ tier_assignment: null })
    .where('id', '=', accountId)
    .where('tier_assignment', '=', stored)
    .returning('id')
    .execute()
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
