import type { Placed } from '../../../../manage/ports/ledger.ts'
import { CURSOR_COLUMN, type ExportColumn, kindOf } from '../../../../rules/ledger/export-columns.ts'

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The file format of an export. */
export interface ExportWriter<T> {
  readonly contentType: string
  /** Text before the first line of a file. */
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

// Without it, spreadsheets do not recognize UTF-8.
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

function csvCell<T>({ field, value }: ExportColumn<T>, item: T): string {
  const cell: unknown = field.codec.show(value(item))
  if (cell === null) return ''
  switch (kindOf(field)) {
    case 'text':
      return quote(defuse(String(cell)))
    case 'json':
      return quote(JSON.stringify(cell))
    default:
      return String(cell)
  }
}

/** A spreadsheet would run a text that starts like a formula. */
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
      for (const { name, field, value } of columns) line[name] = field.codec.show(value(item))
      line[CURSOR_COLUMN] = cursor
      return `${JSON.stringify(line)}\n`
    },
  }
}
