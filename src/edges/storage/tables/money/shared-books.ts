import type { ExpressionBuilder } from 'kysely'
import type { KeyTotals, StoredBalance } from '../../../../gateway/ports/shared-books.ts'
import { periodStartDay } from '../../../../rules/ledger/period.ts'
import type { Database } from '../../database.ts'
import { queryOn } from '../../query.ts'
import type { Tables } from '../../tables.ts'
import { decodeBalance } from './ledger.ts'

// Both engines take more, but SQLite takes seconds to read such a statement.
const MAX_IDS = 1_024

export async function loadStoredBalances(
  database: Database,
  accountIds: readonly string[],
): Promise<StoredBalance[]> {
  const rows = await rowsOf(accountIds, (ids) =>
    queryOn(database)
      .selectFrom('account_balances')
      .select(['account_id', 'balance_nano', 'version'])
      .where('account_id', 'in', ids)
      .execute(),
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
  const rows = await rowsOf(keyIds, (ids) =>
    queryOn(database)
      .selectFrom('key_daily_spend')
      .select((row) => [
        'key_id',
        sumSince(row, day).as('daily'),
        sumSince(row, week).as('weekly'),
        sumSince(row, month).as('monthly'),
        row.cast<bigint>(row.fn.sum('amount_nano'), 'bigint').as('forever'),
      ])
      .where('key_id', 'in', ids)
      .groupBy('key_id')
      .execute(),
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

function sumSince(row: ExpressionBuilder<Tables, 'key_daily_spend'>, firstDay: number) {
  const sum = row.fn.sum('amount_nano').filterWhere('day', '>=', BigInt(firstDay))
  return row.cast<bigint>(row.fn.coalesce(sum, row.lit(0)), 'bigint')
}

/** One query for all of them, or several when there are more than any statement takes. */
async function rowsOf<Row>(
  ids: readonly string[],
  read: (padded: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = []
  for (let start = 0; start < ids.length; start += MAX_IDS) {
    found.push(...(await read(pad(ids.slice(start, start + MAX_IDS)))))
  }
  return found
}

// Repeated up to a power of two, so that any number of ids makes few distinct statements, all of which stay prepared.
function pad(ids: readonly string[]): readonly string[] {
  const size = 2 ** Math.ceil(Math.log2(ids.length))
  return [...ids, ...new Array<string>(size - ids.length).fill(ids[0] ?? '')]
}
