import type { DailySpend } from '../../../gateway/ports/storage.ts'
import { formatUsdt, type NanoUsdt } from '../../../vocabulary/money.ts'
import type { Database } from '../database.ts'
import { insertRows, planInsert } from '../statements.ts'

export interface LedgerEntry {
  readonly kind: 'payment' | 'settlement' | 'refund' | 'adjustment'
  /** Unique within its kind. */
  readonly id: string
  readonly accountId: string
  readonly amountNano: NanoUsdt
  readonly requestId: string | null
  readonly reference: string | null
  readonly note: string | null
  readonly atMs: number
}

const INSERT_ENTRIES = planInsert({
  table: 'ledger_entries',
  columns: ['kind', 'id', 'account_id', 'amount_nano', 'request_id', 'reference', 'note', 'at_ms'],
  ending: '',
})

const ADD_TO_BALANCES = planInsert({
  table: 'account_balances',
  columns: ['account_id', 'balance_nano', 'total_paid_nano'],
  ending: `on conflict (account_id) do update set
    balance_nano = account_balances.balance_nano + excluded.balance_nano,
    total_paid_nano = account_balances.total_paid_nano + excluded.total_paid_nano`,
})

const ADD_TO_DAILY_SPENDS = planInsert({
  table: 'key_daily_spend',
  columns: ['key_id', 'day', 'amount_nano'],
  ending: `on conflict (key_id, day) do update set
    amount_nano = key_daily_spend.amount_nano + excluded.amount_nano`,
})

/** Appends entries and moves the balances by them: the only way a balance ever changes. */
export async function enterInLedger(tx: Database, entries: readonly LedgerEntry[]): Promise<void> {
  await insertRows(
    tx,
    INSERT_ENTRIES,
    entries.map((entry) => [
      entry.kind,
      entry.id,
      entry.accountId,
      entry.amountNano,
      entry.requestId,
      entry.reference,
      entry.note,
      BigInt(entry.atMs),
    ]),
  )
  await insertRows(tx, ADD_TO_BALANCES, sumByAccount(entries))
}

// All writers touch accounts in the order of their ids, so two of them can never wait for each other.
function sumByAccount(entries: readonly LedgerEntry[]): [string, bigint, bigint][] {
  const sums = new Map<string, { balance: bigint; paid: bigint }>()
  for (const { accountId, kind, amountNano } of entries) {
    const sum = sums.get(accountId) ?? { balance: 0n, paid: 0n }
    sum.balance += amountNano
    if (kind === 'payment') sum.paid += amountNano
    sums.set(accountId, sum)
  }
  return [...sums.keys()].sort().map((id) => [id, sums.get(id)?.balance ?? 0n, sums.get(id)?.paid ?? 0n])
}

/** Adds to what keys have spent on days; several spends of one key and day are summed first. */
export async function addToDailySpends(tx: Database, spends: readonly DailySpend[]): Promise<void> {
  const sums = new Map<string, DailySpend>()
  for (const spend of spends) {
    const place = `${spend.day} ${spend.keyId}`
    const amountNano = (sums.get(place)?.amountNano ?? 0n) + spend.amountNano
    sums.set(place, { ...spend, amountNano })
  }
  const inOrder = [...sums].sort(([left], [right]) => (left < right ? -1 : 1))
  await insertRows(
    tx,
    ADD_TO_DAILY_SPENDS,
    inOrder.map(([, { keyId, day, amountNano }]) => [keyId, BigInt(day), amountNano]),
  )
}

export async function loadBalances(database: Database): Promise<Map<string, NanoUsdt>> {
  const rows = await database.rows<{ account_id: string; balance_nano: bigint }>(
    'select account_id, balance_nano from account_balances',
    [],
  )
  return new Map(rows.map((row) => [row.account_id, row.balance_nano]))
}

export async function loadDailySpends(database: Database, keyId: string | null): Promise<DailySpend[]> {
  const rows = await database.rows<{ key_id: string; day: bigint; amount_nano: bigint }>(
    `select key_id, day, amount_nano from key_daily_spend
    ${keyId === null ? '' : 'where key_id = $1'} order by key_id, day`,
    keyId === null ? [] : [keyId],
  )
  return rows.map((row) => ({ keyId: row.key_id, day: Number(row.day), amountNano: row.amount_nano }))
}

export async function findLedgerDifference(database: Database): Promise<string | null> {
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
