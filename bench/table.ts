/** Columns of one width each: the first to the left, numbers to the right. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((row) => `  ${row.map(pad).join('   ')}`.trimEnd()).join('\n')
}

export function ratio(value: number, base: number): string {
  return base > 0 ? (value / base).toFixed(2) : '–'
}

export function milliseconds(us: number): string {
  return (us / 1000).toFixed(3)
}

export function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0)
}

/** What a row may be at most. */
export interface Budget {
  readonly what: string
  readonly measured: number
  readonly allowed: number
}

export function renderBudgets(budgets: readonly Budget[]): string {
  const width = Math.max(36, ...budgets.map(({ what }) => what.length))
  return budgets
    .map(({ what, measured, allowed }) => {
      const verdict = measured <= allowed ? 'kept' : 'EXCEEDED'
      return `  ${what.padEnd(width)} ${measured.toFixed(2)} of ${allowed}  ${verdict}`
    })
    .join('\n')
}
