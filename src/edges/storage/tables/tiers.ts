import type { TierStep } from '../../../gateway/ports/storage.ts'
import { toStoredJson } from '../columns.ts'
import type { Database } from '../database.ts'

export async function loadTierDoubts(database: Database): Promise<Map<string, number>> {
  const rows = await database.rows<{ account_id: string; since_ms: bigint }>(
    'select account_id, since_ms from tier_doubts',
    [],
  )
  return new Map(rows.map((row) => [row.account_id, Number(row.since_ms)]))
}

/**
 * Whether it was this call that made the step. Each step is one statement that finds nothing to change once another
 * transaction has made it.
 */
export async function takeTierStep(tx: Database, step: TierStep): Promise<boolean> {
  const { accountId } = step
  switch (step.kind) {
    case 'move':
      await tx.rows('delete from tier_doubts where account_id = $1', [accountId])
      return changed(
        tx.rows('update accounts set earned_tier = $1 where id = $2 and earned_tier = $3 returning id', [
          step.to,
          accountId,
          step.from,
        ]),
      )
    case 'doubt':
      return changed(
        tx.rows(
          `insert into tier_doubts (account_id, since_ms) values ($1, $2)
          on conflict (account_id) do nothing returning account_id`,
          [accountId, BigInt(step.sinceMs)],
        ),
      )
    case 'trust':
      return changed(
        tx.rows('delete from tier_doubts where account_id = $1 returning account_id', [accountId]),
      )
    case 'end-assignment':
      return changed(
        tx.rows(
          'update accounts set tier_assignment = null where id = $1 and tier_assignment = $2 returning id',
          [accountId, toStoredJson(step.assignment)],
        ),
      )
  }
}

async function changed(rows: Promise<readonly unknown[]>): Promise<boolean> {
  return (await rows).length > 0
}
