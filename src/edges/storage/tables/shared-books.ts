import type { KeyTotals, StoredBalance } from '../../../gateway/ports/shared-books.ts'
import { periodStartDay } from '../../../rules/ledger/period.ts'
import type { Database, Parameter } from '../database.ts'
import { type BalanceRow, decodeBalance } from './ledger.ts'

interface TotalsRow {
  readonly key_id: string
  readonly daily: bigint
  readonly weekly: bigint
  readonly monthly: bigint
  readonly forever: bigint
}

// Both engines take more, but SQLite takes seconds to read such a statement.
const MOST_IDS = 1_024

export async function loadStoredBalances(
  database: Database,
  accountIds: readonly string[],
): Promise<StoredBalance[]> {
  const rows = await rowsOf<BalanceRow>(accountIds, (ids) =>
    database.rows(
      `select account_id, balance_nano, version from account_balances where account_id in ${places(ids, 1)}`,
      ids,
    ),
  )
  const byId = new Map(rows.map((row) => [row.account_id, decodeBalance(row)]))
  return accountIds.map((accountId) => byId.get(accountId) ?? { accountId, balanceNano: 0n, version: 0n })
}

/** What was spent since a period began. Days after the given one count as well: another node's clock may be ahead. */
export async function loadKeyTotals(
  database: Database,
  keyIds: readonly string[],
  day: number,
): Promise<KeyTotals[]> {
  const [week, month] = [periodStartDay('weekly', day), periodStartDay('monthly', day)]
  const starts: Parameter[] = [BigInt(day), BigInt(week), BigInt(month)]
  const rows = await rowsOf<TotalsRow>(keyIds, (ids) =>
    database.rows(
      `select key_id, ${sumSince('$1')} as daily, ${sumSince('$2')} as weekly, ${sumSince('$3')} as monthly,
        cast(sum(amount_nano) as bigint) as forever
      from key_daily_spend where key_id in ${places(ids, starts.length + 1)} group by key_id`,
      [...starts, ...ids],
    ),
  )
  const byId = new Map(rows.map((row) => [row.key_id, row]))
  return keyIds.map((keyId) => {
    const row = byId.get(keyId)
    return {
      keyId,
      totals: {
        daily: { startDay: day, spentNano: row?.daily ?? 0n },
        weekly: { startDay: week, spentNano: row?.weekly ?? 0n },
        monthly: { startDay: month, spentNano: row?.monthly ?? 0n },
        forever: { startDay: 0, spentNano: row?.forever ?? 0n },
      },
    }
  })
}

function sumSince(firstDay: string): string {
  return `cast(sum(case when day >= ${firstDay} then amount_nano else 0 end) as bigint)`
}

/** One query for all of them, or several when there are more than any statement takes. */
async function rowsOf<Row>(
  ids: readonly string[],
  read: (padded: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = []
  for (let start = 0; start < ids.length; start += MOST_IDS) {
    found.push(...(await read(pad(ids.slice(start, start + MOST_IDS)))))
  }
  return found
}

// Repeated up to a power of two, so that any number of ids makes few distinct statements, all of which stay prepared.
function pad(ids: readonly string[]): readonly string[] {
  const size = 2 ** Math.ceil(Math.log2(ids.length))
  return [...ids, ...new Array<string>(size - ids.length).fill(ids[0] ?? '')]
}

function places(ids: readonly string[], first: number): string {
  return `(${ids.map((_, index) => `$${first + index}`).join(', ')})`
}
