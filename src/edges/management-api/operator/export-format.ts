import type { Placed } from '../../../gateway/ports/books.ts'
import { CURSOR_COLUMN, type ExportColumn } from '../../../rules/ledger/export-columns.ts'
import { formatUsdt } from '../../../vocabulary/money.ts'
import { formatTime } from '../../../vocabulary/time.ts'

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** How an export is written down. */
export interface ExportWriter<T> {
  readonly contentType: string
  /** What stands before the first line of a file. */
  readonly head: string
  write(line: Placed<T>): string
}

export function createWriter<T>(format: ExportFormat, columns: readonly ExportColumn<T>[]): ExportWriter<T> {
  switch (format) {
    case 'csv':
      return csvWriter(columns)
    case 'jsonl':
      return jsonWriter(columns)
  }
}

// Without it spreadsheets take UTF-8 for something older.
const BYTE_ORDER_MARK = '\uFEFF'

function csvWriter<T>(columns: readonly ExportColumn<T>[]): ExportWriter<T> {
  const names = [...columns.map(({ name }) => name), CURSOR_COLUMN]
  return {
    contentType: 'text/csv; charset=utf-8',
    head: `${BYTE_ORDER_MARK}${names.join(',')}\r\n`,
    write: ({ item, cursor }) => {
      let line = ''
      for (const column of columns) line += `${csvCell(column, item)},`
      return `${line}${cursor}\r\n`
    },
  }
}

function csvCell<T>(column: ExportColumn<T>, item: T): string {
  const value = plainValue(column, item)
  if (value === null) return ''
  return column.kind === 'text' ? quote(defuse(String(value))) : String(value)
}

/** A spreadsheet would take a text that begins like a formula for one, and run it. */
function defuse(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function jsonWriter<T>(columns: readonly ExportColumn<T>[]): ExportWriter<T> {
  return {
    contentType: 'application/x-ndjson',
    head: '',
    write: ({ item, cursor }) => {
      const line: Record<string, unknown> = {}
      for (const column of columns) line[column.name] = plainValue(column, item)
      line[CURSOR_COLUMN] = cursor
      return `${JSON.stringify(line)}\n`
    },
  }
}

function plainValue<T>(column: ExportColumn<T>, item: T): string | number | boolean | null {
  switch (column.kind) {
    case 'text':
    case 'number':
    case 'boolean':
      return column.value(item)
    case 'amount': {
      const nano = column.value(item)
      return nano === null ? null : formatUsdt(nano)
    }
    case 'time':
      return formatTime(column.value(item))
  }
}
