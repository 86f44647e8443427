import { formatUsdt } from '../../../vocabulary/money.ts'
import type { Database } from '../database.ts'
import { LedgerDifference } from './ledger-difference.ts'

interface SumRow {
  readonly account_id: string
  readonly sum_nano: bigint
}

/** A balance is the sum of its entries: what was posted, less what the settlements cost, deleted ones included. */
export async function verifyBalances(
  moment: Database,
  spentByAccount: ReadonlyMap<string, bigint>,
): Promise<number> {
  const entered = await sumEntries(moment, spentByAccount)
  const balances = await moment.rows<{ account_id: string; balance_nano: bigint }>(
    'select account_id, balance_nano from account_balances order by account_id',
    [],
  )
  for (const { account_id: accountId, balance_nano: balanceNano } of balances) {
    requireBalance(accountId, balanceNano, entered.get(accountId) ?? 0n)
    entered.delete(accountId)
  }
  for (const [accountId, sumNano] of entered) requireBalance(accountId, 0n, sumNano)
  return balances.length
}

async function sumEntries(
  moment: Database,
  spentByAccount: ReadonlyMap<string, bigint>,
): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>()
  const add = (accountId: string, amountNano: bigint) =>
    sums.set(accountId, (sums.get(accountId) ?? 0n) + amountNano)
  for (const [accountId, spentNano] of spentByAccount) add(accountId, -spentNano)
  const posted = await moment.rows<SumRow>(
    `select account_id, cast(sum(amount_nano) as bigint) as sum_nano from posted_entries group by account_id`,
    [],
  )
  for (const row of posted) add(row.account_id, row.sum_nano)
  const carried = await moment.rows<SumRow>(
    `select account_id, cast(sum(amount_nano) as bigint) as sum_nano from carried_settlements group by account_id`,
    [],
  )
  for (const row of carried) add(row.account_id, -row.sum_nano)
  return sums
}

function requireBalance(accountId: string, balanceNano: bigint, sumNano: bigint): void {
  if (balanceNano === sumNano) return
  throw new LedgerDifference(
    `Account ${accountId} has a balance of ${formatUsdt(balanceNano)}, ` +
      `but its ledger entries sum to ${formatUsdt(sumNano)}.`,
  )
}
