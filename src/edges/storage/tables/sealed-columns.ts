import type { Database } from '../database.ts'

/** A column of sealed values, and what its rows are found by. */
export interface SealedColumn {
  readonly table: string
  readonly key: readonly string[]
  readonly column: string
  /** What may be deleted when it does not open, and of which there may be very many. */
  readonly isExpendable?: true
}

export function columnName({ table, column }: Pick<SealedColumn, 'table' | 'column'>): string {
  return `${table}.${column}`
}

/** The columns in which every value is bound to its row. */
export async function loadBoundColumns(database: Database): Promise<Set<string>> {
  const rows = await database.rows<{ table_name: string; column_name: string }>(
    'select table_name, column_name from sealed_columns',
    [],
  )
  return new Set(rows.map(({ table_name, column_name }) => `${table_name}.${column_name}`))
}

export async function saveBoundColumn(
  database: Database,
  { table, column }: Pick<SealedColumn, 'table' | 'column'>,
): Promise<void> {
  await database.rows(
    `insert into sealed_columns (table_name, column_name, bound_at_ms) values ($1, $2, ${database.clockMs})
    on conflict (table_name, column_name) do nothing`,
    [table, column],
  )
}

// More than the longest lease: nodes that are silent for longer are struck off by the others.
const SILENT_MS = 60 * 60 * 1_000

/** Whether a node lives that has not come this far in reading and writing bound values. */
export async function hasNodeBelow(database: Database, level: number): Promise<boolean> {
  const rows = await database.rows(
    `select id from nodes where sealing < $1 and heartbeat_at_ms > ${database.clockMs} - ${SILENT_MS} limit 1`,
    [BigInt(level)],
  )
  return rows.length > 0
}
