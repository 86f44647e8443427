import type { Account, TierAssignment, TierName } from '../../../vocabulary/account.ts'
import { toStoredJson } from '../columns.ts'
import type { Database } from '../database.ts'
import { upsertRow } from '../statements.ts'

interface AccountRow {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly earned_tier: TierName
  readonly tier_assignment: string | null
  readonly credit_line_nano: bigint | null
  readonly created_at_ms: bigint
  readonly total_paid_nano: bigint
}

const ACCOUNTS = { name: 'accounts', key: ['id'] }

/** Total paid is taken only from an account that is new; after that, payments alone move it. */
export async function saveAccount(tx: Database, account: Account): Promise<void> {
  await upsertRow(tx, ACCOUNTS, {
    id: account.id,
    name: account.name,
    email: account.email,
    earned_tier: account.earnedTier,
    tier_assignment: account.tierAssignment && toStoredJson(account.tierAssignment),
    credit_line_nano: account.creditLineNano,
    created_at_ms: BigInt(account.createdAtMs),
  })
  await tx.rows(
    `insert into account_balances (account_id, balance_nano, total_paid_nano) values ($1, 0, $2)
    on conflict (account_id) do nothing`,
    [account.id, account.totalPaidNano],
  )
}

export async function loadAccounts(database: Database): Promise<Account[]> {
  const rows = await database.rows<AccountRow>(
    `select id, name, email, earned_tier, tier_assignment, credit_line_nano, created_at_ms, total_paid_nano
    from accounts join account_balances on account_balances.account_id = accounts.id
    order by created_at_ms, id`,
    [],
  )
  return rows.map(decodeAccount)
}

function decodeAccount(row: AccountRow): Account {
  const tierAssignment: TierAssignment | null = row.tier_assignment && JSON.parse(row.tier_assignment)
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    earnedTier: row.earned_tier,
    tierAssignment,
    totalPaidNano: row.total_paid_nano,
    creditLineNano: row.credit_line_nano,
    createdAtMs: Number(row.created_at_ms),
  }
}
