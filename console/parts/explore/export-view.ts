import type { Explored, ExploredSeries } from '../../api/wire.ts'

/** The series that a view shows: the groups, or everything together. */
export function shownSeries({ series, all }: Explored): readonly ExploredSeries[] {
  return series.length === 0 ? [all] : series
}

/** Exactly what a view shows, a line for each period and series. */
export function writeCsv(explored: Explored, nameOf: (series: ExploredSeries) => string): string {
  const isCompared = explored.periods_before.length > 0
  const before = isCompared ? ['starts_at_before', 'value_before'] : []
  const lines = [['starts_at', 'group', explored.metric, ...before]]
  for (const each of shownSeries(explored)) {
    for (const [index, at] of explored.periods.entries()) {
      const then = [explored.periods_before[index] ?? '', each.values_before[index] ?? '']
      lines.push([at, nameOf(each), each.values[index] ?? '', ...(isCompared ? then : [])])
    }
  }
  return `${lines.map((line) => line.map(quote).join(',')).join('\r\n')}\r\n`
}

/** A cell that begins like a formula would be run by a spreadsheet. Numbers stay numbers. */
function quote(cell: string): string {
  const isNumber = /^-?\d+(\.\d+)?$/.test(cell)
  const safe = !isNumber && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Offers a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
