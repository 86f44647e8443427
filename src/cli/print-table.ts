import type { Terminal } from './command.ts'

/** null for an empty cell. */
export type Cell = string | number | boolean | null | undefined

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => Cell
  /** Numbers are read from their last digit. */
  readonly align?: 'left' | 'right'
}

/** What `--json` prints. */
export function writeJson(facts: unknown): string {
  return `${JSON.stringify(facts, null, 2)}\n`
}

/** `12.3 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

interface PrintedTable<Row> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  /** What stands in place of the table when there are no rows. */
  readonly empty: string
}

/** Prints rows for people, or with `--json` the facts they were made from. */
export function printTable<Row>(
  terminal: Terminal,
  table: PrintedTable<Row>,
  { asJson, facts = table.rows }: { asJson: boolean; facts?: unknown },
): void {
  if (asJson) terminal.print(writeJson(facts))
  else terminal.print(table.rows.length === 0 ? `${table.empty}\n` : layOut(table.rows, table.columns))
}

/** The terminal, and whether to print JSON. */
interface Asked {
  readonly terminal: Terminal
  readonly asJson: boolean
}

interface ShownRows<Item> {
  /** The cells of a row by the titles of their columns. */
  show(item: Item): Readonly<Record<string, Cell>>
  /** The titles of columns that are read from their last digit. */
  readonly figures?: readonly string[]
  readonly empty: string
  /** What JSON tells; absent: the items. */
  readonly facts?: unknown
}

/** Prints a line for each item, under the titles that `show` gives. */
export function printRows<Item>(
  { terminal, asJson }: Asked,
  items: readonly Item[],
  { show, figures = [], empty, facts = items }: ShownRows<Item>,
): void {
  const rows = items.map(show)
  const columns = Object.keys(rows[0] ?? {}).map((title): Column<Readonly<Record<string, Cell>>> => {
    return { title, cell: (row) => row[title], align: figures.includes(title) ? 'right' : 'left' }
  })
  printTable(terminal, { rows, columns, empty }, { asJson, facts })
}

/** Prints one object, a line for each fact. */
export function printFacts(asked: Asked, answer: object, facts: Readonly<Record<string, Cell>>): void {
  const show = ([what, value]: [string, Cell]) => ({ what, value })
  printRows(asked, Object.entries(facts), { show, empty: '', facts: answer })
}

const GAP = '  '
const NOTHING = '-'

/** Columns as wide as their widest cell, under their titles in capitals. */
export function layOut<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const titles = columns.map(({ title }) => title.toUpperCase())
  const cells = rows.map((row) => columns.map(({ cell }) => printable(cell(row))))
  const lines = [titles, ...cells]
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index]))))
  return lines.map((line) => `${layOutLine(line, widths, columns)}\n`).join('')
}

function layOutLine<Row>(
  line: readonly string[],
  widths: readonly number[],
  columns: readonly Column<Row>[],
): string {
  const padded = line.map((text, index) => {
    const padding = ' '.repeat((widths[index] ?? 0) - widthOf(text))
    return columns[index]?.align === 'right' ? `${padding}${text}` : `${text}${padding}`
  })
  return padded.join(GAP).trimEnd()
}

// Names come from outside: a line break or an escape sequence in one would spoil the table or the terminal.
function printable(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return NOTHING
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return String(cell).replace(/\p{Cc}/gu, '?')
}

function widthOf(text = ''): number {
  return Bun.stringWidth(text)
}
