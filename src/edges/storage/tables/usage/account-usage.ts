import { sumWithoutKeys, type UsageTotal } from '../../../../rules/ledger/aggregate.ts'
import { USAGE_SPANS } from '../../../../vocabulary/settlement.ts'
import type { Database, Parameter } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import { ACCOUNT_PLACE, encodeAccountUsage, FIGURES } from '../money/usage-rows.ts'

const COLUMNS = [...ACCOUNT_PLACE, ...FIGURES]

const ADD = planInsert({
  table: 'account_usage',
  columns: COLUMNS,
  ending: `on conflict (${ACCOUNT_PLACE.join(', ')}) do update set
    ${FIGURES.map((column) => `${column} = account_usage.${column} + excluded.${column}`).join(', ')}`,
})

/**
 * Adds usage by key and hour. All writers touch the rows in the same order, so that none waits for another that waits
 * for it.
 */
export async function addToAccountUsage(tx: Database, hours: readonly UsageTotal[]): Promise<void> {
  await insertRows(tx, ADD, encodeSums(hours))
}

/** Subtracts what is removed in the same transaction. */
export async function takeFromAccountUsage(tx: Database, hours: readonly UsageTotal[]): Promise<void> {
  const rows = encodeSums(hours)
  await insertRows(tx, ADD, rows.map(negated))
  for (const row of rows) await tx.rows(REMOVE_EMPTY, row.slice(0, ACCOUNT_PLACE.length))
}

function negated(row: readonly Parameter[]): Parameter[] {
  return row.map((value, index) => (index < ACCOUNT_PLACE.length ? value : -BigInt(value ?? 0)))
}

// A group without settlements has no row.
const REMOVE_EMPTY = `delete from account_usage
  where ${ACCOUNT_PLACE.map((column, index) => `${column} = $${index + 1}`).join(' and ')}
  and completed + client_left + supplier_failed + refused + interrupted = 0`

function encodeSums(hours: readonly UsageTotal[]): Parameter[][] {
  const byHour = sumWithoutKeys('hour', hours)
  const totals = { hour: byHour, day: sumWithoutKeys('day', byHour) }
  return USAGE_SPANS.flatMap((span) => totals[span].map((total) => encodeAccountUsage(span, total)))
}

/** Adds up usage by key again, in a transaction that keeps other writers waiting. */
export async function rebuildAccountUsage(tx: Database, horizonMs: bigint): Promise<void> {
  await queryOn(tx).deleteFrom('account_usage').where('start_ms', '>=', horizonMs).execute()
  const places = ACCOUNT_PLACE.join(', ')
  const sums = FIGURES.map((column) => `cast(sum(${column}) as bigint)`).join(', ')
  const insert = `insert into account_usage (${COLUMNS.join(', ')})`
  await tx.rows(
    `${insert} select ${places}, ${sums} from usage_totals where start_ms >= $1 group by ${places}`,
    [horizonMs],
  )
  await tx.rows(
    `${insert} select span, start_ms, '', model, supplier, ${sums} from account_usage
      where start_ms >= $1 group by span, start_ms, model, supplier`,
    [horizonMs],
  )
}
