import type { Account, TierAssignment, TierName } from '../../../vocabulary/account.ts'
import { toStoredJson } from '../columns.ts'
import type { Database } from '../database.ts'

interface AccountRow {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly earned_tier: TierName
  readonly tier_assignment: string | null
  readonly credit_line_nano: bigint | null
  readonly balance_alert_nano: bigint | null
  readonly created_at_ms: bigint
  readonly total_paid_nano: bigint
}

/**
 * Total paid and earned tier are taken only from an account that is new. After that payments alone move the one, and
 * evaluations the other: whoever saves an account may know an older tier than the one it has reached meanwhile.
 */
export async function saveAccount(tx: Database, account: Account): Promise<void> {
  await tx.rows(
    `insert into accounts (id, name, email, earned_tier, tier_assignment, credit_line_nano, balance_alert_nano,
      created_at_ms)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (id) do update set name = excluded.name, email = excluded.email,
      tier_assignment = excluded.tier_assignment, credit_line_nano = excluded.credit_line_nano,
      balance_alert_nano = excluded.balance_alert_nano`,
    [
      account.id,
      account.name,
      account.email,
      account.earnedTier,
      account.tierAssignment && toStoredJson(account.tierAssignment),
      account.creditLineNano,
      account.balanceAlertNano,
      BigInt(account.createdAtMs),
    ],
  )
  await tx.rows(
    `insert into account_balances (account_id, balance_nano, total_paid_nano) values ($1, 0, $2)
    on conflict (account_id) do nothing`,
    [account.id, account.totalPaidNano],
  )
}

export async function loadAccounts(database: Database): Promise<Account[]> {
  const rows = await database.rows<AccountRow>(
    `select id, name, email, earned_tier, tier_assignment, credit_line_nano, balance_alert_nano, created_at_ms,
      total_paid_nano
    from accounts join account_balances on account_balances.account_id = accounts.id
    order by created_at_ms, id`,
    [],
  )
  return rows.map(decodeAccount)
}

// Far below what any engine takes as parameters of one statement.
const ASKED_AT_ONCE = 500

/** Those of these ids that no account has. */
export async function findStrangers(database: Database, ids: readonly string[]): Promise<readonly string[]> {
  const strangers: string[] = []
  for (let start = 0; start < ids.length; start += ASKED_AT_ONCE) {
    const asked = ids.slice(start, start + ASKED_AT_ONCE)
    const places = asked.map((_, index) => `$${index + 1}`).join(', ')
    const rows = await database.rows<{ id: string }>(`select id from accounts where id in (${places})`, asked)
    const known = new Set(rows.map(({ id }) => id))
    strangers.push(...asked.filter((id) => !known.has(id)))
  }
  return strangers
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
    balanceAlertNano: row.balance_alert_nano,
    createdAtMs: Number(row.created_at_ms),
  }
}
