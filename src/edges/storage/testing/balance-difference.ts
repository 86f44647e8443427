import { formatUsdt } from '../../../vocabulary/money.ts'
import type { Database } from '../engines/database.ts'
import type { Site } from './engines.ts'

export async function balanceDifferenceAt(site: Site): Promise<string | null> {
  const database = await site.openDatabase()
  try {
    return await findBalanceDifference(database)
  } finally {
    await database.close()
  }
}

/**
 * The first balance that is not the sum of its ledger entries; null when all are. Told by the view of entries and for
 * samples whose amounts fit no price, both of which `verifyLedger` does not look at.
 */
export async function findBalanceDifference(database: Database): Promise<string | null> {
  // One statement, so that both sides are read as of the same moment.
  const [row] = await database.rows<{ account_id: string; balance: bigint; entered: bigint }>(
    `select account_id, cast(sum(balance) as bigint) as balance, cast(sum(entered) as bigint) as entered
    from (
      select account_id, balance_nano as balance, 0 as entered from account_balances
      union all
      select account_id, 0 as balance, amount_nano as entered from ledger_entries
    ) as movements
    group by account_id
    having sum(balance) <> sum(entered)
    order by account_id
    limit 1`,
    [],
  )
  if (row === undefined) return null
  const [balance, entered] = [formatUsdt(row.balance), formatUsdt(row.entered)]
  return `Account ${row.account_id} has a balance of ${balance}, but its ledger entries sum to ${entered}.`
}
