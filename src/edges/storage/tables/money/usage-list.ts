import { sql } from 'kysely'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { UsagePoint, UsageQuestion } from '../../../../gateway/ports/books.ts'
import type { Listing, Page } from '../../../../gateway/ports/storage.ts'
import { UsageGroup } from '../../../../vocabulary/settlement.ts'
import type { Row } from '../../../../vocabulary/shape.ts'
import { columnName } from '../../../../vocabulary/shape.ts'
import { isBeyond, readCursor, writeCursor } from '../../cursor.ts'
import type { Database, Parameter } from '../../database.ts'
import { allOf, given, queryOn } from '../../query.ts'
import { decodeFigures, FIGURES, type FigureRow } from './usage.ts'

type GroupName = keyof UsageGroup
type GroupColumn = keyof Row<typeof UsageGroup>
type PointRow = FigureRow & { readonly start_ms: bigint } & Readonly<Partial<Record<GroupColumn, string>>>

const GROUP_NAMES = Object.keys(UsageGroup.fields) as GroupName[]
const SUMS = FIGURES.map((name) => sql<bigint>`cast(sum(${sql.ref(name)}) as bigint)`.as(name))

function columnOf(name: GroupName): GroupColumn {
  return columnName(name) as GroupColumn
}

export async function listUsage(
  database: Database,
  question: UsageQuestion,
  page: Page,
): Promise<Listing<UsagePoint>> {
  const groups = GROUP_NAMES.filter((name) => question.groupBy.includes(name))
  const place = ['start_ms' as const, ...groups.map(columnOf)]
  const conditions = conditionsOf(question)
  if (page.cursor !== null) {
    const columns = place.map((name) => sql.ref(name))
    conditions.push(isBeyond(columns, readPosition(page.cursor, place.length), 'asc'))
  }
  const totals = queryOn(database)
    .selectFrom('usage_totals')
    .select([...place, ...SUMS])
    .where(allOf(conditions))
    .groupBy(place)
  const ordered = place.reduce((query, column) => query.orderBy(column), totals)
  const rows: PointRow[] = await ordered.limit(BigInt(page.limit + 1)).execute()
  const data = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? data.at(-1) : undefined
  return {
    data: data.map((row) => decodePoint(row, groups)),
    nextCursor: last === undefined ? null : writePosition(last, groups),
  }
}

function conditionsOf({ span, filter }: UsageQuestion) {
  return given<'usage_totals'>([
    ['span', '=', span],
    ...GROUP_NAMES.map((name) => [columnOf(name), '=', filter[name]] as const),
    ['start_ms', '>=', filter.fromMs],
    ['start_ms', '<', filter.toMs],
  ])
}

function decodePoint(row: PointRow, groups: readonly GroupName[]): UsagePoint {
  const group = Object.fromEntries(groups.map((name) => [name, groupValue(row, name)]))
  return { startMs: Number(row.start_ms), group, figures: decodeFigures(row) }
}

function groupValue(row: PointRow, name: GroupName): string | null {
  const value = row[columnOf(name)] ?? ''
  return name === 'supplier' && value === '' ? null : value
}

function writePosition(row: PointRow, groups: readonly GroupName[]): string {
  return writeCursor([Number(row.start_ms), ...groups.map((name) => row[columnOf(name)] ?? '')])
}

/** A cursor belongs to its way of grouping: with another one it would name no place. */
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
