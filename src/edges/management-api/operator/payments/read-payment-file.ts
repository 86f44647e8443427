import { CsvError, type Info, parse } from 'csv-parse/sync'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { PaymentLine } from '../../../../vocabulary/ledger.ts'

const REQUIRED = ['account_id', 'amount', 'reference'] as const
const COLUMNS = [...REQUIRED, 'note'] as const
type Column = (typeof COLUMNS)[number]

const LINE_ENDS = ['\r\n', '\n', '\r']

interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

/**
 * Reads a payment file: a line of column names in any order, then one payment per line. Nothing is trimmed or guessed,
 * because this is money.
 */
export function readPaymentFile(csv: string): PaymentLine[] {
  const [head, ...records] = readRecords(csv)
  if (head === undefined)
    throw refusal(`The file is empty. Its first line must name the columns ${COLUMNS.join(', ')}.`)
  const columns = readColumns(head)
  return records.map((record) => readLine(record, columns))
}

function readRecords(csv: string): CsvRecord[] {
  try {
    const records: unknown = parse(csv, {
      bom: true,
      delimiter: delimiterOf(csv),
      record_delimiter: LINE_ENDS,
      skip_empty_lines: true,
      // Lines with the wrong number of fields are refused below, with their number.
      relax_column_count: true,
      info: true,
    })
    return (records as { info: Info; record: string[] }[]).map(({ info, record }) => ({
      line: info.lines - countLineEnds(record),
      fields: record,
    }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw refusal(`Nothing was imported. line ${String(error.lines)}: its quotation marks are wrong.`)
  }
}

// The parser reports the line where a record ends, but people look for the line where it starts.
function countLineEnds(fields: readonly string[]): number {
  return fields.join('').match(/\r\n|\r|\n/g)?.length ?? 0
}

/** Spreadsheets write semicolons where the comma is the decimal separator, and optionally tabs. */
function delimiterOf(csv: string): string {
  const head = /^[^\r\n]*/.exec(csv)?.[0] ?? ''
  return [',', ';', '\t'].find((delimiter) => head.includes(delimiter)) ?? ','
}

function readColumns({ fields }: CsvRecord): readonly Column[] {
  const columns = fields.map((name) => {
    const column = COLUMNS.find((known) => known === name)
    if (column === undefined) {
      throw refusal(`${JSON.stringify(name)} is not a known column. The columns are ${COLUMNS.join(', ')}.`)
    }
    return column
  })
  const missing = REQUIRED.find((column) => !columns.includes(column))
  if (missing !== undefined) throw refusal(`The column ${missing} is missing.`)
  if (new Set(columns).size < columns.length) throw refusal('A column is named twice.')
  return columns
}

function readLine({ line, fields }: CsvRecord, columns: readonly Column[]): PaymentLine {
  if (fields.length !== columns.length) {
    throw refusal(
      `Nothing was imported. line ${line}: it has ${fields.length} fields; the first line names ${columns.length}.`,
    )
  }
  const fieldOf = (column: Column) => fields[columns.indexOf(column)] ?? ''
  return {
    line,
    accountId: fieldOf('account_id'),
    amount: fieldOf('amount'),
    reference: fieldOf('reference'),
    note: fieldOf('note') === '' ? null : fieldOf('note'),
  }
}

function refusal(message: string): GatewayError {
  return new GatewayError('invalid_request', message, { param: 'csv' })
}
