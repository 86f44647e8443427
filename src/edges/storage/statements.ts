import type { SelectType } from 'kysely'
import type { Database, Parameter } from './engines/database.ts'
import type { Tables } from './tables.ts'

type Column<Table extends keyof Tables> = keyof Tables[Table] & string

export interface InsertPlan<Table extends keyof Tables, Returned extends Column<Table>> {
  readonly table: Table
  /** Columns in which all rows of one insert have the same value. */
  readonly common?: readonly Column<Table>[]
  readonly columns: readonly Column<Table>[]
  /** What follows the values, such as an `on conflict` clause. */
  readonly ending?: string
  readonly returning?: readonly Returned[]
}

/** An insert of many rows, its texts made once, when they are first needed. */
export interface Insert<Row> {
  /** The most rows first. */
  readonly sizes: readonly number[]
  readonly textOf: (size: number) => string
  /** Only a type: what each inserted row gives back. */
  readonly returned?: Row
}

/** Rows that have the values of the common columns in common. */
export interface AlikeRows {
  readonly common: readonly Parameter[]
  readonly rows: readonly (readonly Parameter[])[]
}

// Powers of two, so that batches of any size are made of few distinct statements, all of which stay prepared.
const CHUNK_SIZES = [256, 128, 64, 32, 16, 8, 4, 2, 1] as const
// Larger statements take more memory and no less time.
const MAX_VALUES = 3_200

export function planInsert<Table extends keyof Tables, Returned extends Column<Table> = never>(
  plan: InsertPlan<Table, Returned>,
): Insert<{ readonly [Name in Returned]: SelectType<Tables[Table][Name]> }> {
  const sizes = CHUNK_SIZES.filter((size) => size * plan.columns.length <= MAX_VALUES)
  const texts = new Map<number, string>()
  const textOf = (size: number) => {
    const known = texts.get(size)
    if (known !== undefined) return known
    const text = insertText(plan, size)
    texts.set(size, text)
    return text
  }
  return { sizes, textOf }
}

/** Inserts in the given order, and gives what `returning` asked for. */
export function insertRows<Row>(
  tx: Database,
  insert: Insert<Row>,
  rows: readonly (readonly Parameter[])[],
): Promise<Row[]> {
  return insertAlike(tx, insert, { common: [], rows })
}

/** The same for rows that have values in common: what is bound once for all of them need not be copied for each. */
export async function insertAlike<Row>(
  tx: Database,
  insert: Insert<Row>,
  { common, rows }: AlikeRows,
): Promise<Row[]> {
  const returned: Row[] = []
  let done = 0
  for (const size of insert.sizes) {
    while (rows.length - done >= size) {
      const chunk = await tx.rows<Row>(insert.textOf(size), joinRows({ common, rows }, done, done + size))
      for (const row of chunk) returned.push(row)
      done += size
    }
  }
  return returned
}

// Value by value: the library's own ways of joining arrays take several times as long.
function joinRows({ common, rows }: AlikeRows, start: number, end: number): Parameter[] {
  const joined: Parameter[] = [...common]
  for (let index = start; index < end; index++) {
    for (const value of rows[index] ?? []) joined.push(value)
  }
  return joined
}

function insertText<Table extends keyof Tables, Returned extends Column<Table>>(
  { table, common = [], columns, ending = '', returning = [] }: InsertPlan<Table, Returned>,
  rowCount: number,
): string {
  const placesFrom = (first: number, names: readonly string[]) => names.map((_, index) => `$${first + index}`)
  const ofAll = placesFrom(1, common)
  const rows = Array.from({ length: rowCount }, (_, row) => {
    const ofRow = placesFrom(common.length + row * columns.length + 1, columns)
    return `(${[...ofAll, ...ofRow].join(', ')})`
  })
  const given = returning.length === 0 ? '' : `returning ${returning.join(', ')}`
  const names = [...common, ...columns].join(', ')
  return `insert into ${table} (${names}) values ${rows.join(', ')} ${ending} ${given}`
}
