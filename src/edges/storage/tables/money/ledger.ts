import type { ExpressionBuilder } from 'kysely'
import type { KeyTotals, StoredBalance } from '../../../../gateway/ports/shared-books.ts'
import type { DailySpend } from '../../../../gateway/ports/storage.ts'
import { periodStartDay } from '../../../../rules/ledger/period.ts'
import { amount, integer, text } from '../../../../vocabulary/field.ts'
import { LedgerEntry } from '../../../../vocabulary/ledger.ts'
import type { NanoUsdt } from '../../../../vocabulary/money.ts'
import { shape } from '../../../../vocabulary/shape.ts'
import type { Database, Parameter } from '../../database.ts'
import { inPortions, padded, prepare, queryOn } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import { tableOf } from '../../table.ts'
import type { Tables } from '../../tables.ts'

const POSTED_ENTRIES = { table: 'posted_entries', columns: LedgerEntry.columns } as const

const INSERT_ENTRIES = planInsert(POSTED_ENTRIES)

// Waits for another transaction that is entering the same reference, and then finds it taken.
const INSERT_ADJUSTMENT_ONCE = planInsert({
  ...POSTED_ENTRIES,
  ending: `on conflict (account_id, reference) where kind = 'adjustment' and reference is not null
    do nothing`,
  returning: ['id'],
})

const ADD_TO_BALANCES = planInsert({
  table: 'account_balances',
  columns: ['account_id', 'balance_nano', 'total_paid_nano', 'version'],
  ending: `on conflict (account_id) do update set
    balance_nano = account_balances.balance_nano + excluded.balance_nano,
    total_paid_nano = account_balances.total_paid_nano + excluded.total_paid_nano,
    version = account_balances.version + 1`,
  returning: ['account_id', 'balance_nano', 'version'],
})

const ADD_TO_DAILY_SPENDS = planInsert({
  table: 'key_daily_spend',
  columns: ['key_id', 'day', 'amount_nano'],
  ending: `on conflict (key_id, day) do update set
    amount_nano = key_daily_spend.amount_nano + excluded.amount_nano`,
})

/** Appends entries and moves the balances by them. Settlements are entries by themselves, and are refused here. */
export async function enterInLedger(tx: Database, entries: readonly LedgerEntry[]): Promise<void> {
  await insertRows(tx, INSERT_ENTRIES, entries.map(encodeEntry))
  await moveBalancesBy(tx, entries)
}

/** The same for an adjustment, unless its account has one with its reference; gives whether it was entered. */
export async function enterAdjustmentOnce(tx: Database, entry: LedgerEntry): Promise<boolean> {
  const inserted = await insertRows(tx, INSERT_ADJUSTMENT_ONCE, [encodeEntry(entry)])
  if (inserted.length === 0) return false
  await moveBalancesBy(tx, [entry])
  return true
}

function encodeEntry(entry: LedgerEntry): Parameter[] {
  return Object.values(LedgerEntry.toRow(entry))
}

async function moveBalancesBy(tx: Database, entries: readonly LedgerEntry[]): Promise<void> {
  const sums = new BalanceSums()
  for (const { accountId, kind, amountNano } of entries) {
    sums.add(accountId, amountNano, kind === 'payment' ? amountNano : 0n)
  }
  await moveBalances(tx, sums)
}

/** What balances change by. */
export class BalanceSums {
  readonly #sums = new Map<string, { balance: bigint; paid: bigint }>()

  add(accountId: string, amountNano: NanoUsdt, paidNano: NanoUsdt): void {
    const sum = this.#sums.get(accountId)
    if (sum === undefined) {
      this.#sums.set(accountId, { balance: amountNano, paid: paidNano })
    } else {
      sum.balance += amountNano
      sum.paid += paidNano
    }
  }

  // All writers touch accounts in the order of their ids, so two of them can never wait for each other.
  rows(): [string, bigint, bigint, bigint][] {
    const inOrder = [...this.#sums].sort(([left], [right]) => (left < right ? -1 : 1))
    return inOrder.map(([accountId, { balance, paid }]) => [accountId, balance, paid, 1n])
  }
}

export interface BalanceRow {
  readonly account_id: string
  readonly balance_nano: bigint
  readonly version: bigint
}

function decodeBalance(row: BalanceRow): StoredBalance {
  return { accountId: row.account_id, balanceNano: row.balance_nano, version: row.version }
}

/** To be called for what was entered in the same transaction: a balance is the sum of its entries. */
export async function moveBalances(tx: Database, sums: BalanceSums): Promise<readonly StoredBalance[]> {
  const rows = await insertRows(tx, ADD_TO_BALANCES, sums.rows())
  return rows.map(decodeBalance)
}

/** What keys have spent on days, several spends of one key and day summed up. */
export class SpendSums {
  readonly #sums = new Map<string, Map<number, bigint>>()

  add(keyId: string, day: number, amountNano: NanoUsdt): void {
    let days = this.#sums.get(keyId)
    if (days === undefined) {
      days = new Map()
      this.#sums.set(keyId, days)
    }
    days.set(day, (days.get(day) ?? 0n) + amountNano)
  }

  rows(): [string, bigint, bigint][] {
    const rows = [...this.#sums].flatMap(([keyId, days]) =>
      [...days].map(([day, amountNano]): [string, bigint, bigint] => [keyId, BigInt(day), amountNano]),
    )
    return rows.sort(([leftKey, leftDay], [rightKey, rightDay]) =>
      leftKey === rightKey ? Number(leftDay - rightDay) : leftKey < rightKey ? -1 : 1,
    )
  }
}

export async function addToDailySpends(tx: Database, sums: SpendSums): Promise<void> {
  await insertRows(tx, ADD_TO_DAILY_SPENDS, sums.rows())
}

const LOAD_BALANCES = prepare((query) =>
  query.selectFrom('account_balances').select(['account_id', 'balance_nano']),
)

export async function loadBalances(database: Database): Promise<Map<string, NanoUsdt>> {
  const rows = await LOAD_BALANCES.all(database, {})
  return new Map(rows.map((row) => [row.account_id, row.balance_nano]))
}

const Spend = shape('DailySpend', { keyId: text(), day: integer(), amountNano: amount() })
const DAILY_SPENDS = tableOf('key_daily_spend', Spend, { key: ['key_id', 'day'] })

export function loadDailySpends(database: Database, keyId: string | null): Promise<DailySpend[]> {
  return DAILY_SPENDS.list(database, keyId === null ? {} : { keyId })
}

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
  for (const portion of inPortions(ids, MAX_IDS)) {
    // Up to a power of two, so that any number of ids makes few distinct statements, all of which stay prepared.
    found.push(...(await read(padded(portion, 2 ** Math.ceil(Math.log2(portion.length))))))
  }
  return found
}
