import type { TextFormat } from '../captures/suppliers-by-format.ts'

export interface Row {
  readonly agent: string
  readonly version: string
  readonly task: string
  readonly format: TextFormat
  readonly supplier: TextFormat
  /** Requests the gateway served. */
  readonly turns: number
  readonly streamed: number
  /** Of the turns, those over a WebSocket. */
  readonly framed: number
  /** Of the turns, those that compacted the conversation at the gateway. */
  readonly compacted: number
  readonly result: string
  readonly isPassed: boolean
}

const HEADINGS = [
  'agent',
  'version',
  'task',
  'speaks',
  'supplier speaks',
  'turns',
  'streamed',
  'WebSocket',
  'compacted',
  'result',
] as const

export function renderTable(rows: readonly Row[]): string {
  const lines = [[...HEADINGS], ...rows.map(cellsOf)]
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function cellsOf(row: Row): string[] {
  const { agent, version, task, format, supplier, turns, streamed, framed, compacted, result } = row
  const lane = format === supplier ? `${supplier} (relayed)` : supplier
  return [
    agent,
    version,
    task,
    format,
    lane,
    String(turns),
    turns === streamed ? 'all' : `${streamed} of ${turns}`,
    String(framed),
    String(compacted),
    result,
  ]
}
