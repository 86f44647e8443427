import { sql } from 'kysely'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { UsagePoint, UsageQuestion } from '../../../../manage/ports/ledger.ts'
import type { Listing, Page } from '../../../../manage/ports/page.ts'
import { FIGURE_NAMES, UsageSums, type UsageTotal } from '../../../../rules/ledger/aggregate.ts'
import {
  type Settlement,
  USAGE_SPANS,
  UsageDimensions,
  type UsageSpan,
} from '../../../../vocabulary/settlement.ts'
import { columnName, type Row } from '../../../../vocabulary/shape.ts'
import { isBeyond, readCursor, writeCursor } from '../../cursor.ts'
import type { Database, Parameter } from '../../engines/database.ts'
import { allOf, given, queryOn } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import { rebuildMeasures } from '../explore/measures.ts'
import { findHorizonMs } from './retention.ts'
import { isBySession, type SourceRow, sessionUsage } from './session-usage.ts'
import {
  countText,
  decodeFigures,
  ENDED_AT_MS,
  encodeUsage,
  FIGURES,
  type FigureRow,
  PLACE_COLUMNS,
  placeTexts,
} from './usage-rows.ts'

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

/** Subtracts settlements that are removed in the same transaction. */
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
    await tx.lockTable('usage_totals')
    const horizonMs = BigInt(await findHorizonMs(tx))
    await queryOn(tx).deleteFrom('usage_totals').where('start_ms', '>=', horizonMs).execute()
    for (const span of USAGE_SPANS) await tx.rows(recountText(span), [horizonMs])
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
  return `insert into usage_totals (${TABLE_COLUMNS.join(', ')})
    select '${span}', ${place}, ${FIGURE_NAMES.map(countText).join(', ')}
    from settlements where ${ENDED_AT_MS} >= $1 group by ${place}`
}

type GroupName = keyof UsageDimensions
type GroupColumn = keyof Row<typeof UsageDimensions>
type PointRow = FigureRow & { readonly start_ms: bigint } & Readonly<Partial<Record<GroupColumn, string>>>

const GROUP_NAMES = Object.keys(UsageDimensions.fields) as GroupName[]
const SUMS = FIGURES.map((name) => sql<bigint>`cast(sum(${sql.ref(name)}) as bigint)`.as(name))

function columnOf(name: GroupName): GroupColumn {
  return columnName(name) as GroupColumn
}

const COUNTED = sql<SourceRow>`usage_totals`

export async function listUsage(
  database: Database,
  question: UsageQuestion,
  page: Page,
): Promise<Listing<UsagePoint>> {
  const groups = GROUP_NAMES.filter((name) => question.groupBy.includes(name))
  const place = ['start_ms' as const, ...groups.map(columnOf)]
  const { span, filter } = question
  const source = isBySession(question) ? await sessionUsage(database, question) : COUNTED
  const conditions = given<'usage_totals'>([
    ['span', '=', span],
    ...GROUP_NAMES.map((name) => [sql.ref(columnOf(name)), '=', filter[name]] as const),
    ['start_ms', '>=', filter.fromMs],
    ['start_ms', '<', filter.toMs],
  ])
  if (page.cursor !== null) {
    const columns = place.map((name) => sql.ref(name))
    conditions.push(isBeyond(columns, readPosition(page.cursor, place.length), 'asc'))
  }
  const totals = queryOn(database)
    .selectFrom(source.as('usage'))
    .select([...place, ...SUMS])
    .where(allOf(conditions))
    .groupBy(place)
  const ordered = place.reduce((query, column) => query.orderBy(column), totals)
  const rows: PointRow[] = await ordered.limit(BigInt(page.limit + 1)).execute()
  const data = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? data.at(-1) : null
  const next = last && [Number(last.start_ms), ...groups.map((name) => last[columnOf(name)] ?? '')]
  return { data: data.map((row) => decodePoint(row, groups)), nextCursor: next ? writeCursor(next) : null }
}

function decodePoint(row: PointRow, groups: readonly GroupName[]): UsagePoint {
  const group = Object.fromEntries(groups.map((name) => [name, groupValue(row, name)]))
  return { startMs: Number(row.start_ms), group, figures: decodeFigures(row) }
}

function groupValue(row: PointRow, name: GroupName): string | null {
  const value = row[columnOf(name)] ?? ''
  return value === '' ? null : value
}

/** A cursor is only valid for the grouping it was made with. */
function readPosition(cursor: string, length: number): Parameter[] {
  const [startMs, ...groups] = readCursor(cursor, length)
  const isPlace = Number.isSafeInteger(startMs) && groups.every((value) => typeof value === 'string')
  if (isPlace) return [BigInt(startMs as number), ...(groups as string[])]
  throw new GatewayError(
    'invalid_request',
    'cursor must be the next_cursor of an earlier page of the same list.',
    { param: 'cursor' },
  )
}
