import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { UsagePoint, UsageQuestion } from '../../../../manage/ports/ledger.ts'
import type { Listing, Page } from '../../../../manage/ports/page.ts'
import { SPAN_MS } from '../../../../rules/ledger/aggregate.ts'
import { UsageDimensions } from '../../../../vocabulary/settlement.ts'
import { columnName, type Row } from '../../../../vocabulary/shape.ts'
import { isBeyond, readCursor, writeCursor } from '../../cursor.ts'
import type { Database, Parameter } from '../../engines/database.ts'
import { allOf, given, queryOn } from '../../query.ts'
import { plain } from '../money/search/settlement-conditions.ts'
import { isBySession, type SourceRow, sessionUsage } from '../money/session-usage.ts'
import { decodeFigures, FIGURES, type FigureRow } from '../money/usage-rows.ts'
import { accountConditions, isByKey, totalsFor } from './usage-source.ts'

type GroupName = keyof UsageDimensions
type GroupColumn = keyof Row<typeof UsageDimensions>
type PointRow = FigureRow & { readonly start_ms: bigint } & Readonly<Partial<Record<GroupColumn, string>>>

const GROUP_NAMES = Object.keys(UsageDimensions.fields) as GroupName[]
const SUMS = FIGURES.map((name) => sql<bigint>`cast(sum(${sql.ref(name)}) as bigint)`.as(name))

const COLUMN_OF = Object.fromEntries(GROUP_NAMES.map((name) => [name, columnName(name)])) as Readonly<
  Record<GroupName, GroupColumn>
>

export async function listUsage(
  database: Database,
  question: UsageQuestion,
  page: Page,
): Promise<Listing<UsagePoint>> {
  const groups = GROUP_NAMES.filter((name) => question.groupBy.includes(name))
  const place = ['start_ms' as const, ...groups.map((name) => COLUMN_OF[name])]
  const { source, conditions } = await sourceOf(database, question)
  const position = page.cursor === null ? null : readPosition(page.cursor, place.length)
  if (position !== null) {
    const columns = place.map((name) => sql.ref(name))
    // The second says nothing new, but without it the databases begin at the first page again.
    conditions.push(isBeyond(columns, position, 'asc'), sql<SqlBool>`start_ms >= ${position[0] ?? null}`)
  }
  const read: Read = (more, limit) => {
    const totals = queryOn(database)
      .selectFrom(source.as('usage'))
      .select([...place, ...SUMS])
      .where(allOf([...conditions, ...more]))
      .groupBy(place)
    const ordered = place.reduce((query, column) => query.orderBy(column), totals)
    return ordered.limit(BigInt(limit)).execute()
  }
  const isLarge = isByKey(question) && question.filter.keyId === undefined && !isBySession(question)
  const rows = isLarge
    ? await readInWindows(
        database,
        { question, limit: page.limit + 1, afterMs: Number(position?.[0] ?? 0) },
        read,
      )
    : await read([], page.limit + 1)
  const data = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? data.at(-1) : null
  const next = last && [Number(last.start_ms), ...groups.map((name) => last[COLUMN_OF[name]] ?? '')]
  return { data: data.map((row) => decodePoint(row, groups)), nextCursor: next ? writeCursor(next) : null }
}

type Read = (window: readonly RawBuilder<SqlBool>[], limit: number) => Promise<PointRow[]>

/**
 * Reads as many hours or days as a page needs, and a few more: all totals by key would be added up and sorted before the
 * first were known.
 */
async function readInWindows(
  database: Database,
  { question, limit, afterMs }: { question: UsageQuestion; limit: number; afterMs: number },
  read: Read,
): Promise<PointRow[]> {
  const { filter } = question
  const conditions = [...conditionsOf(question), ...accountConditions({ filter, groupBy: [] })]
  const starts = queryOn(database)
    .selectFrom('account_usage')
    .select('start_ms')
    .where(allOf([...conditions, sql<SqlBool>`start_ms >= ${BigInt(afterMs)}`]))
  const first = await starts.orderBy('start_ms').limit(1n).executeTakeFirst()
  const last = await starts.orderBy('start_ms', 'desc').limit(1n).executeTakeFirst()
  const rows: PointRow[] = []
  const spanMs = SPAN_MS[question.span]
  let [fromMs, lengthMs] = [Number(first?.start_ms ?? 0), spanMs]
  while (last !== undefined && rows.length < limit && fromMs <= last.start_ms) {
    const window = given<'usage_totals'>([
      ['start_ms', '>=', fromMs],
      ['start_ms', '<', fromMs + lengthMs],
    ])
    const more = await read(window, limit - rows.length)
    rows.push(...more)
    fromMs += lengthMs
    // As many as should fill the page.
    const needed = Math.ceil(((limit - rows.length) / more.length) * (lengthMs / spanMs)) * spanMs
    lengthMs = Math.max(Math.min(2 * lengthMs, needed), spanMs)
  }
  return rows
}

interface Source {
  readonly source: RawBuilder<SourceRow>
  readonly conditions: RawBuilder<SqlBool>[]
}

async function sourceOf(database: Database, question: UsageQuestion): Promise<Source> {
  const conditions = conditionsOf(question)
  if (isBySession(question)) return { source: await sessionUsage(database, question), conditions }
  const ofAccounts = isByKey(question) ? [] : accountConditions(question)
  return { source: totalsFor<SourceRow>(question), conditions: [...conditions, ...ofAccounts] }
}

function conditionsOf({ span, filter }: UsageQuestion): RawBuilder<SqlBool>[] {
  const wanted = given<'usage_totals'>([
    ['span', '=', span],
    ...GROUP_NAMES.filter((name) => name !== 'accountId').map(
      (name) => [sql.ref(COLUMN_OF[name]), '=', filter[name]] as const,
    ),
    ['start_ms', '>=', filter.fromMs],
    ['start_ms', '<', filter.toMs],
  ])
  const ofAccount = given<'usage_totals'>([['account_id', '=', filter.accountId]])
  return [...wanted, ...(filter.keyId === undefined ? ofAccount : plain(ofAccount))]
}

function decodePoint(row: PointRow, groups: readonly GroupName[]): UsagePoint {
  const group: Record<string, string | null> = {}
  for (const name of groups) group[name] = groupValue(row, name)
  return { startMs: Number(row.start_ms), group, figures: decodeFigures(row) }
}

function groupValue(row: PointRow, name: GroupName): string | null {
  const value = row[COLUMN_OF[name]] ?? ''
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
