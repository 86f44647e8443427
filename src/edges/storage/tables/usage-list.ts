import { GatewayError } from '../../../errors/gateway-error.ts'
import type { UsagePoint, UsageQuestion } from '../../../gateway/ports/books.ts'
import type { Listing, Page } from '../../../gateway/ports/storage.ts'
import type { UsageGroup } from '../../../rules/ledger/aggregate.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import type { Database, Parameter } from '../database.ts'
import { decodeFigures, FIGURES, type FigureRow } from './usage-rows.ts'

const COLUMN_OF = {
  accountId: 'account_id',
  keyId: 'key_id',
  model: 'model',
  supplier: 'supplier',
} as const satisfies Record<keyof UsageGroup, string>

const GROUP_NAMES = ['accountId', 'keyId', 'model', 'supplier'] as const

type PointRow = FigureRow & { readonly start_ms: bigint } & Readonly<
    Partial<Record<(typeof COLUMN_OF)[keyof UsageGroup], string>>
  >

export async function listUsage(
  database: Database,
  question: UsageQuestion,
  page: Page,
): Promise<Listing<UsagePoint>> {
  const groups = GROUP_NAMES.filter((name) => question.groupBy.includes(name))
  const place = ['start_ms', ...groups.map((name) => COLUMN_OF[name])]
  const { conditions, parameters } = conditionsOf(question)
  if (page.cursor !== null) {
    const position = readPosition(page.cursor, place.length)
    const numbers = position.map((_, index) => `$${parameters.length + index + 1}`)
    parameters.push(...position)
    conditions.push(`(${place.join(', ')}) > (${numbers.join(', ')})`)
  }
  parameters.push(BigInt(page.limit + 1))
  const rows = await database.rows<PointRow>(
    `select ${place.join(', ')}, ${FIGURES.map((name) => `cast(sum(${name}) as bigint) as ${name}`).join(', ')}
    from usage_totals where ${conditions.join(' and ')}
    group by ${place.join(', ')} order by ${place.join(', ')} limit $${parameters.length}`,
    parameters,
  )
  const data = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? data.at(-1) : undefined
  return {
    data: data.map((row) => decodePoint(row, groups)),
    nextCursor: last === undefined ? null : writePosition(last, groups),
  }
}

function conditionsOf({ span, filter }: UsageQuestion): { conditions: string[]; parameters: Parameter[] } {
  const conditions = ['span = $1']
  const parameters: Parameter[] = [span]
  const require = (condition: string, value: string | number | undefined) => {
    if (value === undefined) return
    parameters.push(typeof value === 'number' ? BigInt(value) : value)
    conditions.push(`${condition} $${parameters.length}`)
  }
  for (const name of GROUP_NAMES) require(`${COLUMN_OF[name]} =`, filter[name])
  require('start_ms >=', filter.fromMs)
  require('start_ms <', filter.toMs)
  return { conditions, parameters }
}

function decodePoint(row: PointRow, groups: readonly (keyof UsageGroup)[]): UsagePoint {
  const group = Object.fromEntries(groups.map((name) => [name, groupValue(row, name)]))
  return { startMs: Number(row.start_ms), group, figures: decodeFigures(row) }
}

function groupValue(row: PointRow, name: keyof UsageGroup): string | null {
  const value = row[COLUMN_OF[name]] ?? ''
  return name === 'supplier' && value === '' ? null : value
}

function writePosition(row: PointRow, groups: readonly (keyof UsageGroup)[]): string {
  return writeCursor([Number(row.start_ms), ...groups.map((name) => row[COLUMN_OF[name]] ?? '')])
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
