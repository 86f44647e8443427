import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { FigureQuestion } from '../../../../manage/ports/explore/explore.ts'
import { SPAN_MS, type UsageTotal } from '../../../../rules/ledger/aggregate.ts'
import { dayOf } from '../../../../rules/ledger/period.ts'
import type { UsageFigures } from '../../../../vocabulary/settlement.ts'
import type { Database, Parameter } from '../../engines/database.ts'
import { allOf, analysisOn, given } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import { FIGURE_COLUMNS } from '../money/usage-rows.ts'

const FAILURES = ['supplierFailed', 'refused', 'interrupted'] as const

/** The figures that each column is the sum of: the amount, which limits are about, and what else keys are ranked by. */
const PARTS = {
  amount_nano: ['amountNano'],
  requests: ['completed', 'clientLeft', ...FAILURES],
  failures: FAILURES,
  prompt_tokens: ['input', 'cacheRead', 'cacheWrite'],
  output_tokens: ['output'],
} as const satisfies Record<string, readonly (keyof UsageFigures)[]>

type SpendColumn = keyof typeof PARTS
const COLUMNS = Object.keys(PARTS) as SpendColumn[]

const ADD = planInsert({
  table: 'key_daily_spend',
  columns: ['key_id', 'day', ...COLUMNS],
  ending: `on conflict (key_id, day) do update set
    ${COLUMNS.map((column) => `${column} = key_daily_spend.${column} + excluded.${column}`).join(', ')}`,
})

interface Spend {
  readonly keyId: string
  readonly day: number
  readonly sums: bigint[]
}

/** What keys have spent on days and for how much use, several spends of one key and day summed up. */
export class SpendSums {
  readonly #spends = new Map<string, Spend>()

  /** Adds what a key used on a day, or subtracts it. */
  add({ startMs, group: { keyId }, figures }: UsageTotal, times: 1n | -1n = 1n): void {
    const day = dayOf(startMs)
    const place = `${keyId}\0${day}`
    const spend = this.#spends.get(place) ?? { keyId, day, sums: COLUMNS.map(() => 0n) }
    this.#spends.set(place, spend)
    for (const [index, column] of COLUMNS.entries()) {
      const added = column === 'amount_nano' ? figures.amountNano : BigInt(countOf(figures, column))
      spend.sums[index] = (spend.sums[index] ?? 0n) + times * added
    }
  }

  /** All writers touch them in this order, so that none waits for another that waits for it. */
  rows(): Parameter[][] {
    const inOrder = [...this.#spends.values()].sort((one, other) =>
      one.keyId === other.keyId ? one.day - other.day : one.keyId < other.keyId ? -1 : 1,
    )
    return inOrder.map(({ keyId, day, sums }) => [keyId, day, ...sums])
  }
}

function countOf(figures: UsageFigures, column: SpendColumn): number {
  let count = 0
  for (const name of PARTS[column]) count += Number(figures[name])
  return count
}

export async function addToDailySpends(tx: Database, sums: SpendSums): Promise<void> {
  await insertRows(tx, ADD, sums.rows())
}

/** Counts what keys are ranked by from usage by key, which is right already. What they spent stays as it is. */
export async function rebuildSpendFigures(tx: Database, horizonMs: bigint): Promise<void> {
  const counted = COLUMNS.filter((column) => column !== 'amount_nano')
  const sums = counted.map((column) => `cast(sum(${partsText(column)}) as bigint)`)
  await tx.rows(
    `insert into key_daily_spend (key_id, day, amount_nano, ${counted.join(', ')})
      select key_id, start_ms / ${SPAN_MS.day}, 0, ${sums.join(', ')}
      from usage_totals where span = 'day' and start_ms >= $1 group by key_id, start_ms
      on conflict (key_id, day) do update set
        ${counted.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    [horizonMs],
  )
}

function partsText(column: SpendColumn): string {
  return PARTS[column].map((name) => FIGURE_COLUMNS[name]).join(' + ')
}

/** How many requests usage counts, as an expression of its columns. */
export const REQUESTS = partsText('requests')

/** The columns whose sum is that of the figures; null when there are none. */
function columnsFor(figures: readonly string[]): readonly SpendColumn[] | null {
  const left = new Set(figures)
  const columns: SpendColumn[] = []
  for (const column of COLUMNS) {
    if (!PARTS[column].every((name) => left.has(name))) continue
    columns.push(column)
    for (const name of PARTS[column]) left.delete(name)
  }
  return left.size === 0 ? columns : null
}

/**
 * Keys with the most of what these figures sum to, then with the most requests, from the fewest rows that tell: one for each key and day, and hours
 * where the range begins or ends within a day. Null when only usage by key tells.
 */
export async function rankKeys(
  database: Database,
  { figures, filter }: FigureQuestion,
  atMost: number,
): Promise<readonly string[] | null> {
  const { accountId, keyId, model, supplier, session, agent, fromMs, toMs } = filter
  const columns = columnsFor(figures)
  if (columns === null || (keyId ?? model ?? supplier ?? session ?? agent) !== undefined) return null
  const [firstMs, endMs] = [
    Math.min(Math.ceil(fromMs / SPAN_MS.day) * SPAN_MS.day, toMs),
    Math.max(Math.floor(toMs / SPAN_MS.day) * SPAN_MS.day, fromMs),
  ]
  const hours = (sinceMs: number, untilMs: number) => sql`union all
    select key_id, ${sql.raw(columns.map(partsText).join(' + '))}, ${sql.raw(REQUESTS)} from usage_totals
    where ${allOf([sql<SqlBool>`span = 'hour'`, ...between('start_ms', sinceMs, untilMs), ...ofAccount(accountId)])}`
  const ranking = sql<{ key_id: string }>`select key_id from (
      select key_id, ${sql.raw(columns.join(' + '))} as weight, requests from key_daily_spend
      where ${allOf([...between('day', dayOf(firstMs), dayOf(endMs)), ofKeysOf(accountId)])}
      ${fromMs < firstMs ? hours(fromMs, firstMs) : sql``}
      ${Math.max(endMs, firstMs) < toMs ? hours(Math.max(endMs, firstMs), toMs) : sql``}
    ) as spends group by key_id order by sum(weight) desc, sum(requests) desc, key_id limit ${BigInt(atMost)}`
  const { rows } = await ranking.execute(analysisOn(database))
  return rows.map(({ key_id }) => key_id)
}

function between(column: 'start_ms' | 'day', from: number, to: number): RawBuilder<SqlBool>[] {
  return given([
    [sql.ref(column), '>=', from],
    [sql.ref(column), '<', to],
  ])
}

function ofAccount(accountId: string | undefined): RawBuilder<SqlBool>[] {
  return given<'usage_totals'>([['account_id', '=', accountId]])
}

/** Of all keys too: SQLite then reads key by key, and need not sort what it has found by day. */
function ofKeysOf(accountId: string | undefined): RawBuilder<SqlBool> {
  const wanted = allOf(given<'api_keys'>([['account_id', '=', accountId]]))
  return sql<SqlBool>`key_id in (select id from api_keys where ${wanted})`
}
