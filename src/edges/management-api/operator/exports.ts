import { GatewayError } from '../../../errors/gateway-error.ts'
import type { BookOperations, ExportOptions, Placed } from '../../../gateway/ports/books.ts'
import type { Endpoint, Reply } from '../../../gateway/ports/exchange.ts'
import type { SettlementFilter } from '../../../gateway/ports/storage.ts'
import { type ExportColumn, LEDGER_EXPORT, SETTLEMENT_EXPORT } from '../../../rules/ledger/export-columns.ts'
import { OPERATOR_PATH } from './address.ts'
import { createWriter, EXPORT_FORMATS, type ExportFormat, type ExportWriter } from './export-format.ts'
import { parseTime, requireKnownQuery } from './read-values.ts'

const SETTLEMENT_FILTERS = ['account_id', 'key_id', 'model', 'from', 'to']
const LEDGER_FILTERS = ['account_id', 'from', 'to']
const OPTIONS = ['format', 'cursor', 'limit']
const LARGEST_LIMIT = 1_000_000_000

/** Columns left out concern operators only. */
export function exportEndpoints(operations: BookOperations, leftOut: readonly string[] = []): Endpoint[] {
  return [
    exportEndpoint({
      name: 'settlements',
      filters: SETTLEMENT_FILTERS,
      columns: SETTLEMENT_EXPORT.filter(({ name }) => !leftOut.includes(name)),
      read: (filter, options) => operations.exportSettlements(filter, options),
    }),
    exportEndpoint({
      name: 'ledger',
      filters: LEDGER_FILTERS,
      columns: LEDGER_EXPORT,
      read: (filter, options) => operations.exportLedger(filter, options),
    }),
  ]
}

interface Export<T> {
  readonly name: string
  readonly filters: readonly string[]
  readonly columns: readonly ExportColumn<T>[]
  read(filter: SettlementFilter, options: ExportOptions): AsyncGenerator<readonly Placed<T>[]>
}

function exportEndpoint<T>({ name, filters, columns, read }: Export<T>): Endpoint {
  return {
    method: 'GET',
    path: `${OPERATOR_PATH}/exports/${name}`,
    handle: async (exchange) => {
      const { query } = exchange
      requireKnownQuery(query, [...filters, ...OPTIONS])
      const format = readFormat(query)
      const options = { cursor: query.get('cursor'), limit: readLimit(query) }
      const pages = read(readBookFilter(query), options)
      // Read before the answer begins, so that whatever is wrong with the question is still a refusal.
      const first = await pages.next()
      const writer = createWriter(format, columns)
      // What goes on after a cursor is appended to what came before it.
      const head = options.cursor === null ? writer.head : ''
      return replyOf({
        fileName: `${name}.${format}`,
        writer,
        chunks: chunksOf({ head, first, pages }, writer),
      })
    },
  }
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

/** The next page is read when the client has taken the one before. */
function replyOf({ fileName, writer, chunks }: ExportReply): Reply {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        // An embedded database and a fast reader need nothing from outside: without this they would hold up everybody.
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

function readFormat(query: URLSearchParams): ExportFormat {
  const text = query.get('format') ?? 'csv'
  const format = EXPORT_FORMATS.find((known) => known === text)
  if (format !== undefined) return format
  throw new GatewayError('invalid_request', `format must be one of ${EXPORT_FORMATS.join(', ')}.`, {
    param: 'format',
  })
}

function readLimit(query: URLSearchParams): number | null {
  const text = query.get('limit')
  if (text === null) return null
  const limit = /^\d{1,10}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= LARGEST_LIMIT) return limit
  throw new GatewayError('invalid_request', `limit must be a whole number from 1 to ${LARGEST_LIMIT}.`, {
    param: 'limit',
  })
}

/** Filters under the names of the columns they are about. */
export function readBookFilter(query: URLSearchParams): SettlementFilter {
  const read = (name: string) => query.get(name) ?? undefined
  const [accountId, keyId, model] = [read('account_id'), read('key_id'), read('model')]
  const [from, to] = [read('from'), read('to')]
  return {
    ...(accountId !== undefined && { accountId }),
    ...(keyId !== undefined && { keyId }),
    ...(model !== undefined && { model }),
    ...(from !== undefined && { fromMs: parseTime(from, 'from') }),
    ...(to !== undefined && { toMs: parseTime(to, 'to') }),
  }
}
