import { Account } from '../../../../vocabulary/account.ts'
import type { Database } from '../../database.ts'
import { queryOn } from '../../query.ts'

// Kept with the balance, where payments move it.
const AccountRow = Account.without('AccountRow', ['totalPaidNano'])

/**
 * Total paid and earned tier are taken only from an account that is new. After that payments alone move the one, and
 * evaluations the other: whoever saves an account may know an older tier than the one it has reached meanwhile.
 */
export async function saveAccount(tx: Database, account: Account): Promise<void> {
  const { id, earned_tier, created_at_ms, ...change } = AccountRow.toRow(account)
  await queryOn(tx)
    .insertInto('accounts')
    .values({ id, earned_tier, created_at_ms, ...change })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
    .execute()
  await queryOn(tx)
    .insertInto('account_balances')
    .values({ account_id: id, balance_nano: 0n, total_paid_nano: account.totalPaidNano })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute()
}

export async function loadAccounts(database: Database): Promise<Account[]> {
  const rows = await queryOn(database)
    .selectFrom('accounts')
    .innerJoin('account_balances', 'account_balances.account_id', 'accounts.id')
    .select(Account.columns)
    .orderBy('created_at_ms')
    .orderBy('id')
    .execute()
  return rows.map((row) => Account.fromRow(row))
}

// Far below what any engine takes as parameters of one statement.
const ASKED_AT_ONCE = 500

/** Those of these ids that no account has. */
export async function findStrangers(database: Database, ids: readonly string[]): Promise<readonly string[]> {
  const strangers: string[] = []
  for (let start = 0; start < ids.length; start += ASKED_AT_ONCE) {
    const asked = ids.slice(start, start + ASKED_AT_ONCE)
    const rows = await queryOn(database)
      .selectFrom('accounts')
      .select('id')
      .where('id', 'in', asked)
      .execute()
    const known = new Set(rows.map(({ id }) => id))
    strangers.push(...asked.filter((id) => !known.has(id)))
  }
  return strangers
}
