import { FIGURE_NAMES, SPAN_MS, UsageSums, type UsageTotal } from '../../../../rules/ledger/aggregate.ts'
import {
  type Settlement,
  USAGE_SPANS,
  type UsageFigures,
  type UsageSpan,
} from '../../../../vocabulary/settlement.ts'
import type { Database, Parameter } from '../../database.ts'
import { queryOn } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import { findHorizonMs } from './retention.ts'

/** The column of each figure. */
export const FIGURE_COLUMNS = {
  completed: 'completed',
  clientLeft: 'client_left',
  supplierFailed: 'supplier_failed',
  refused: 'refused',
  interrupted: 'interrupted',
  input: 'input_tokens',
  cacheRead: 'cache_read_tokens',
  cacheWrite: 'cache_write_tokens',
  output: 'output_tokens',
  reasoning: 'reasoning_tokens',
  images: 'images',
  amountNano: 'amount_nano',
  firstBytes: 'first_bytes',
  firstByteMs: 'first_byte_ms',
  durationMs: 'duration_ms',
} as const satisfies Record<keyof UsageFigures, string>

type FigureColumn = (typeof FIGURE_COLUMNS)[keyof UsageFigures]

/** In the order of the figures. */
export const FIGURES = FIGURE_NAMES.map((name) => FIGURE_COLUMNS[name])

export const PLACE_COLUMNS = ['span', 'start_ms', 'account_id', 'key_id', 'model', 'supplier'] as const

export type FigureRow = Readonly<Record<FigureColumn, bigint>>

export interface UsageRow extends FigureRow {
  readonly start_ms: bigint
  readonly account_id: string
  readonly key_id: string
  readonly model: string
  readonly supplier: string
}

export function encodeUsage(span: UsageSpan, { startMs, group, figures }: UsageTotal): Parameter[] {
  const { accountId, keyId, model, supplier } = group
  const row: Parameter[] = [span, startMs, accountId, keyId, model, supplier ?? '']
  for (const name of FIGURE_NAMES) row.push(figures[name])
  return row
}

export function decodeFigures(row: FigureRow): UsageFigures {
  const numbers = FIGURE_NAMES.map((name) => [name, Number(row[FIGURE_COLUMNS[name]])])
  return { ...(Object.fromEntries(numbers) as UsageFigures), amountNano: row.amount_nano }
}

const TABLE_COLUMNS = [...PLACE_COLUMNS, ...FIGURES]

const ADD_TO_USAGE = planInsert({
  table: 'usage_totals',
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
  await insertRows(tx, ADD_TO_USAGE, encodeSums(usage))
}

/** Takes back what was counted of settlements that are removed in the same transaction. */
export async function takeFromUsage(tx: Database, settlements: readonly Settlement[]): Promise<void> {
  const rows = encodeSums(sumUsage(settlements))
  await insertRows(
    tx,
    ADD_TO_USAGE,
    rows.map((row) => row.map((value, index) => (index < PLACE_COLUMNS.length ? value : negative(value)))),
  )
  for (const row of rows) await tx.rows(REMOVE_EMPTY, row.slice(0, PLACE_COLUMNS.length))
}

function negative(figure: Parameter): Parameter {
  return -BigInt(figure ?? 0)
}

// Of a group without settlements nothing is told.
const REMOVE_EMPTY = `delete from usage_totals
  where ${PLACE_COLUMNS.map((column, index) => `${column} = $${index + 1}`).join(' and ')}
  and completed + client_left + supplier_failed + refused + interrupted = 0`

function encodeSums(usage: SummedUsage): Parameter[][] {
  return USAGE_SPANS.flatMap((span) => usage[span].map((total) => encodeUsage(span, total)))
}

/**
 * Counts all settlements afresh, as far as they are still there; what was counted of deleted ones stays. Writers wait
 * for the end of it, and then add to the new counts.
 */
export async function rebuildUsage(database: Database): Promise<number> {
  return database.transaction(async (tx) => {
    await tx.lockTable('usage_totals')
    const horizonMs = BigInt(await findHorizonMs(tx))
    await queryOn(tx).deleteFrom('usage_totals').where('start_ms', '>=', horizonMs).execute()
    for (const span of USAGE_SPANS) await tx.rows(recountText(span), [horizonMs])
    const { counted } = await queryOn(tx)
      .selectFrom('settlements')
      .select((row) => row.fn.countAll<bigint>().as('counted'))
      .where((row) => row(row('started_at_ms', '+', row.ref('duration_ms')), '>=', horizonMs))
      .executeTakeFirstOrThrow()
    return Number(counted)
  })
}

const ENDED_AT_MS = '(started_at_ms + duration_ms)'

function recountText(span: UsageSpan): string {
  const start = `${ENDED_AT_MS} - ${ENDED_AT_MS} % ${SPAN_MS[span]}`
  const place = [start, 'account_id', 'key_id', 'model', "coalesce(supplier, '')"].join(', ')
  return `insert into usage_totals (${TABLE_COLUMNS.join(', ')})
    select '${span}', ${place}, ${FIGURES.map((column) => COUNTS[column]).join(', ')}
    from settlements where ${ENDED_AT_MS} >= $1 group by ${place}`
}

/** How each figure is counted from settlements. */
const COUNTS: Readonly<Record<(typeof FIGURES)[number], string>> = {
  completed: outcomes('completed'),
  client_left: outcomes('client_left'),
  supplier_failed: outcomes('supplier_failed'),
  refused: outcomes('refused'),
  interrupted: outcomes('interrupted'),
  input_tokens: 'sum(input_tokens)',
  cache_read_tokens: 'sum(cache_read_tokens)',
  cache_write_tokens: 'sum(cache_write_tokens)',
  output_tokens: 'sum(output_tokens)',
  reasoning_tokens: 'sum(reasoning_tokens)',
  images: 'sum(images)',
  amount_nano: 'sum(amount_nano)',
  first_bytes: 'count(first_byte_ms)',
  first_byte_ms: 'coalesce(sum(first_byte_ms), 0)',
  duration_ms: 'sum(duration_ms)',
}

function outcomes(outcome: Settlement['outcome']): string {
  return `count(case when outcome = '${outcome}' then 1 end)`
}
