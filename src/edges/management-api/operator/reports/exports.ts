import { type TSchema, Type } from 'typebox'
import type { LedgerOperations, Placed } from '../../../../manage/ports/ledger.ts'
import {
  CURSOR_COLUMN,
  type ExportColumn,
  LEDGER_EXPORT,
  SETTLEMENT_EXPORT,
} from '../../../../rules/ledger/export-columns.ts'
import { FOCUS_EXPORT, type FocusLine, focusLines } from '../../../../rules/ledger/focus/focus-columns.ts'
import type { Reply } from '../../../../serve/ports/exchange.ts'
import { choice, integer, text } from '../../../../vocabulary/field.ts'
import { LedgerFilter } from '../../../../vocabulary/ledger.ts'
import { type Settlement, SettlementExportFilter } from '../../../../vocabulary/settlement.ts'
import type { ValueIn } from '../../../../vocabulary/shape.ts'
import { definer, raw } from '../../endpoint.ts'
import { createWriter, EXPORT_FORMATS, type ExportFormat, type ExportWriter } from './export-format.ts'

const define = definer<LedgerOperations>()
const common = {
  tag: 'History',
  access: 'operator',
  method: 'GET',
  description: 'Streamed as fast as you read. Continue an interrupted export with `cursor`.',
} as const

export const EXPORT_OPTIONS = {
  format: choice(EXPORT_FORMATS).note('The file format; `csv` by default.'),
  cursor: text().note('The `cursor` of the last line you received.'),
  limit: integer({ min: 1, max: 1_000_000_000 }).note('Maximum number of lines; all by default.'),
}

export const exportEndpoints = [
  define({
    ...common,
    path: '/exports/settlements',
    id: 'exportSettlements',
    summary: 'Export settlements',
    query: { ...SettlementExportFilter.fields, ...EXPORT_OPTIONS },
    answer: linesOf(SETTLEMENT_EXPORT),
    handle: (operations, { query }) => exportSettlements(operations, query),
  }),
  define({
    ...common,
    path: '/exports/ledger',
    id: 'exportLedger',
    summary: 'Export ledger',
    query: { ...LedgerFilter.fields, ...EXPORT_OPTIONS },
    answer: linesOf(LEDGER_EXPORT),
    handle: (operations, { query }) => exportLedger(operations, query),
  }),
  define({
    ...common,
    path: '/exports/focus',
    id: 'exportFocus',
    summary: 'Export charges in FOCUS columns',
    query: { ...SettlementExportFilter.fields, ...EXPORT_OPTIONS },
    answer: linesOf(FOCUS_EXPORT),
    handle: (operations, { query }) => exportFocus(operations, query),
  }),
]

type ExportOptions = Partial<ValueIn<typeof EXPORT_OPTIONS>>

export function exportSettlements(
  operations: LedgerOperations,
  { format = 'csv', cursor, limit, ...filter }: SettlementExportFilter & ExportOptions,
  columns = SETTLEMENT_EXPORT,
): Promise<Reply> {
  const pages = operations.exportSettlements(filter, { cursor: cursor ?? null, limit: limit ?? null })
  return answerExport({ name: 'settlements', columns, format, cursor }, pages)
}

export function exportLedger(
  operations: LedgerOperations,
  { format = 'csv', cursor, limit, ...filter }: LedgerFilter & ExportOptions,
): Promise<Reply> {
  const pages = operations.exportLedger(filter, { cursor: cursor ?? null, limit: limit ?? null })
  return answerExport({ name: 'ledger', columns: LEDGER_EXPORT, format, cursor }, pages)
}

/** One line for each charge of each settlement. */
export function exportFocus(
  operations: LedgerOperations,
  { format = 'csv', cursor, limit, ...filter }: SettlementExportFilter & ExportOptions,
): Promise<Reply> {
  const place = readFocusCursor(cursor)
  const pages = operations.exportSettlements(filter, { cursor: place.settlement, limit: null })
  const lines = focusPages(pages, place, limit ?? Number.POSITIVE_INFINITY)
  return answerExport({ name: 'focus', columns: FOCUS_EXPORT, format, cursor }, lines)
}

interface FocusPlace {
  /** The cursor of the settlement before; null at the beginning. */
  readonly settlement: string | null
  /** How many lines of the next settlement were read already. */
  readonly lines: number
}

/** A cursor within a settlement is that of the settlement before, a full stop, and the number of lines. */
function readFocusCursor(cursor: string | undefined): FocusPlace {
  const [, settlement = cursor ?? '', lines = '0'] = /^(.*)\.(\d{1,4})$/.exec(cursor ?? '') ?? []
  return { settlement: settlement === '' ? null : settlement, lines: Number(lines) }
}

async function* focusPages(
  pages: AsyncGenerator<readonly Placed<Settlement>[]>,
  place: FocusPlace,
  limit: number,
): AsyncGenerator<readonly Placed<FocusLine>[]> {
  let { settlement: before, lines: skipped } = place
  let left = limit
  for await (const page of pages) {
    const lines: Placed<FocusLine>[] = []
    for (const settlement of page) {
      lines.push(...placedCharges(settlement, before).slice(skipped))
      skipped = 0
      before = settlement.cursor
    }
    const wanted = lines.slice(0, left)
    left -= wanted.length
    if (wanted.length > 0) yield wanted
    if (left <= 0) return
  }
}

/** The charges of a settlement with their cursors; the last one has that of the settlement. */
function placedCharges({ item, cursor }: Placed<Settlement>, before: string | null): Placed<FocusLine>[] {
  const charges = focusLines(item)
  return charges.map((charge, index) => ({
    item: charge,
    cursor: index === charges.length - 1 ? cursor : `${before ?? ''}.${index + 1}`,
  }))
}

export function linesOf<T>(columns: readonly ExportColumn<T>[]) {
  return raw({
    description: 'One object on each line.',
    schema: lineSchema(columns),
    example: {
      ...Object.fromEntries(columns.map(({ name, field }) => [name, field.codec.example])),
      [CURSOR_COLUMN]: 'WzE3NjcyMjU2MDAwMDAsInJlcV8xIl0',
    },
    contentType: 'application/x-ndjson',
    table: 'RFC 4180 with a byte order mark and a line of column names, both omitted after a `cursor`.',
  })
}

/** A line of an export as JSON. */
export function lineSchema<T>(columns: readonly ExportColumn<T>[]): TSchema {
  const cells = columns.map(({ name, field }): [string, TSchema] => [name, field.codec.schema])
  return Type.Object(
    { ...Object.fromEntries(cells), [CURSOR_COLUMN]: Type.String() },
    { additionalProperties: false },
  )
}

interface Export<T> {
  readonly name: string
  readonly columns: readonly ExportColumn<T>[]
  readonly format: ExportFormat
  readonly cursor: string | undefined
}

async function answerExport<T>(
  { name, columns, format, cursor }: Export<T>,
  pages: AsyncGenerator<readonly Placed<T>[]>,
): Promise<Reply> {
  // Read before the answer starts, so that an invalid query still gets an error.
  const first = await pages.next()
  const writer = createWriter(format, columns)
  // A continued export is appended to the earlier part.
  const head = cursor === undefined ? writer.head : ''
  const chunks = chunksOf({ head, first, pages }, writer)
  return replyOf({ fileName: `${name}.${format}`, writer, chunks })
}

interface Pages<T> {
  readonly head: string
  readonly first: IteratorResult<readonly Placed<T>[], void>
  readonly pages: AsyncGenerator<readonly Placed<T>[]>
}

async function* chunksOf<T>(
  { head, first, pages }: Pages<T>,
  writer: ExportWriter<T>,
): AsyncGenerator<string> {
  const write = (page: readonly Placed<T>[]) => page.map((line) => writer.write(line)).join('')
  try {
    yield first.done ? head : head + write(first.value)
    for await (const page of pages) yield write(page)
  } finally {
    await pages.return(undefined)
  }
}

interface ExportReply {
  readonly fileName: string
  readonly writer: Pick<ExportWriter<never>, 'contentType'>
  readonly chunks: AsyncGenerator<string>
}

/** Reads the next page when the client has read the previous one. */
function replyOf({ fileName, writer, chunks }: ExportReply): Reply {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        // With an embedded database and a fast reader, nothing else would ever yield to other requests.
        await new Promise((resolve) => setImmediate(resolve))
        const { done, value } = await chunks.next()
        if (!done) return controller.enqueue(encoder.encode(value))
        controller.close()
      },
      cancel: async () => {
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return {
    status: 200,
    headers: {
      'content-type': writer.contentType,
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
    },
    body,
  }
}
