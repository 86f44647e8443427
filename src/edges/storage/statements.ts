import type { Database, Parameter } from './database.ts'

export interface InsertPlan {
  readonly table: string
  readonly columns: readonly string[]
  /** What follows the values, such as an `on conflict` clause. */
  readonly ending: string
}

/** An insert of many rows, its texts made once. */
export interface Insert {
  readonly textBySize: ReadonlyMap<number, string>
}

/** A row's values by column name; the keys are always the same ones in the same order. */
export type Values = Readonly<Record<string, Parameter>>

// Powers of two, so that batches of any size are made of few distinct statements, all of which stay prepared.
const CHUNK_SIZES = [64, 32, 16, 8, 4, 2, 1] as const

export function planInsert(plan: InsertPlan): Insert {
  return { textBySize: new Map(CHUNK_SIZES.map((size) => [size, insertText(plan, size)])) }
}

/** Inserts in the given order, and gives what `returning` asked for. */
export async function insertRows<Row>(
  tx: Database,
  insert: Insert,
  rows: readonly (readonly Parameter[])[],
): Promise<Row[]> {
  const returned: Row[] = []
  let done = 0
  for (const [size, text] of insert.textBySize) {
    while (rows.length - done >= size) {
      const chunk = await tx.rows<Row>(text, joinRows(rows, done, done + size))
      for (const row of chunk) returned.push(row)
      done += size
    }
  }
  return returned
}

// Value by value: the library's own ways of joining arrays take several times as long.
function joinRows(rows: readonly (readonly Parameter[])[], start: number, end: number): Parameter[] {
  const joined: Parameter[] = []
  for (let index = start; index < end; index++) {
    for (const value of rows[index] ?? []) joined.push(value)
  }
  return joined
}

/** Inserts a row, or replaces all its columns when one with the same key is there. */
export async function upsertRow(
  tx: Database,
  table: { readonly name: string; readonly key: readonly string[] },
  values: Values,
): Promise<void> {
  const columns = Object.keys(values)
  const others = columns.filter((column) => !table.key.includes(column))
  const replacements = others.map((column) => `${column} = excluded.${column}`)
  const ending = `on conflict (${table.key.join(', ')}) do update set ${replacements.join(', ')}`
  await tx.rows(insertText({ table: table.name, columns, ending }, 1), Object.values(values))
}

function insertText({ table, columns, ending }: InsertPlan, rowCount: number): string {
  const rows = Array.from({ length: rowCount }, (_, row) => {
    const first = row * columns.length + 1
    return `(${columns.map((_, column) => `$${first + column}`).join(', ')})`
  })
  return `insert into ${table} (${columns.join(', ')}) values ${rows.join(', ')} ${ending}`
}
