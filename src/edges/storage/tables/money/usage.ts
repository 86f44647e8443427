import { FIGURE_NAMES, UsageSums, type UsageTotal } from '../../../../rules/ledger/aggregate.ts'
import { type Settlement, USAGE_SPANS, type UsageSpan } from '../../../../vocabulary/settlement.ts'
import type { Database, Parameter } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import { insertAlike, planInsert } from '../../statements.ts'
import { rebuildMeasures } from '../explore/measures.ts'
import { rebuildAccountUsage, takeFromAccountUsage } from '../usage/account-usage.ts'
import { addToDailySpends, rebuildSpendFigures, SpendSums } from '../usage/key-spends.ts'
import { findHorizonMs } from './retention.ts'
import { countText, ENDED_AT_MS, encodeUsage, FIGURES, PLACE_COLUMNS, placeTexts } from './usage-rows.ts'

const TABLE_COLUMNS = [...PLACE_COLUMNS, ...FIGURES]

const ADD_TO_USAGE = planInsert({
  table: 'usage_totals',
  // Nodes of the previous version leave it out, and the server adds to the usage of accounts for them.
  common: ['summed'],
  columns: TABLE_COLUMNS,
  ending: `on conflict (${PLACE_COLUMNS.join(', ')}) do update set
    ${FIGURES.map((column) => `${column} = usage_totals.${column} + excluded.${column}`).join(', ')}`,
})

export type SummedUsage = Readonly<Record<UsageSpan, readonly UsageTotal[]>>

export function sumUsage(settlements: readonly Settlement[]): SummedUsage {
  const hours = new UsageSums('hour')
  for (const settlement of settlements) hours.add(settlement)
  const hour = hours.totals()
  const days = new UsageSums('day')
  for (const total of hour) days.addTotal(total)
  return { hour, day: days.totals() }
}

/** Counts settlements that were written in the same transaction, so that each is counted exactly once. */
export async function addToUsage(tx: Database, usage: SummedUsage): Promise<void> {
  await insertAlike(tx, ADD_TO_USAGE, { common: SUMMED, rows: encodeSums(usage) })
}

const SUMMED = [1] as const

/** Subtracts settlements that are removed in the same transaction. */
export async function takeFromUsage(tx: Database, settlements: readonly Settlement[]): Promise<void> {
  const usage = sumUsage(settlements)
  const rows = encodeSums(usage)
  const negated = rows.map((row) =>
    row.map((value, index) => (index < PLACE_COLUMNS.length ? value : negative(value))),
  )
  await insertAlike(tx, ADD_TO_USAGE, { common: SUMMED, rows: negated })
  for (const row of rows) await tx.rows(REMOVE_EMPTY, row.slice(0, PLACE_COLUMNS.length))
  await takeFromAccountUsage(tx, usage.hour)
  const spends = new SpendSums()
  for (const total of usage.day) spends.add(total, -1n)
  await addToDailySpends(tx, spends)
}

function negative(figure: Parameter): Parameter {
  return -BigInt(figure ?? 0)
}

// A group without settlements has no row.
const REMOVE_EMPTY = `delete from usage_totals
  where ${PLACE_COLUMNS.map((column, index) => `${column} = $${index + 1}`).join(' and ')}
  and completed + client_left + supplier_failed + refused + interrupted = 0`

function encodeSums(usage: SummedUsage): Parameter[][] {
  return USAGE_SPANS.flatMap((span) => usage[span].map((total) => encodeUsage(span, total)))
}

/**
 * Counts all stored settlements again; the counts of deleted ones stay. Writers wait until it ends and then add to the new
 * counts.
 */
export async function rebuildUsage(database: Database): Promise<number> {
  return database.transaction(async (tx) => {
    // In the order in which writers touch them.
    for (const table of ['key_daily_spend', 'usage_totals']) await tx.lockTable(table)
    const horizonMs = BigInt(await findHorizonMs(tx))
    await queryOn(tx).deleteFrom('usage_totals').where('start_ms', '>=', horizonMs).execute()
    for (const span of USAGE_SPANS) await tx.rows(recountText(span), [horizonMs])
    await rebuildAccountUsage(tx, horizonMs)
    await rebuildSpendFigures(tx, horizonMs)
    await rebuildMeasures(tx, horizonMs)
    const { counted } = await queryOn(tx)
      .selectFrom('settlements')
      .select((row) => row.fn.countAll<bigint>().as('counted'))
      .where((row) => row(row('started_at_ms', '+', row.ref('duration_ms')), '>=', horizonMs))
      .executeTakeFirstOrThrow()
    return Number(counted)
  })
}

function recountText(span: UsageSpan): string {
  const place = placeTexts(span).join(', ')
  return `insert into usage_totals (${TABLE_COLUMNS.join(', ')}, summed)
    select '${span}', ${place}, ${FIGURE_NAMES.map(countText).join(', ')}, 1
    from settlements where ${ENDED_AT_MS} >= $1 group by ${place} order by ${place}`
}
