import { FIGURE_NAMES, SPAN_MS, type UsageTotal } from '../../../../rules/ledger/aggregate.ts'
import type { UsageFigures, UsageSpan } from '../../../../vocabulary/settlement.ts'
import { OUTCOMES } from '../../../../vocabulary/words.ts'
import type { Parameter } from '../../engines/database.ts'
import { GROUP_COLUMNS } from './settlement-rows.ts'

/** The column of each figure. */
export const FIGURE_COLUMNS = {
  completed: 'completed',
  clientLeft: 'client_left',
  supplierFailed: 'supplier_failed',
  refused: 'refused',
  interrupted: 'interrupted',
  input: 'input_tokens',
  cacheRead: 'cache_read_tokens',
  cacheWrite: 'cache_write_tokens',
  output: 'output_tokens',
  reasoning: 'reasoning_tokens',
  images: 'images',
  amountNano: 'amount_nano',
  marginNano: 'margin_nano',
  firstBytes: 'first_bytes',
  firstByteMs: 'first_byte_ms',
  durationMs: 'duration_ms',
} as const satisfies Record<keyof UsageFigures, string>

type FigureColumn = (typeof FIGURE_COLUMNS)[keyof UsageFigures]

/** In the order of the figures. */
export const FIGURES = FIGURE_NAMES.map((name) => FIGURE_COLUMNS[name])

export const PLACE_COLUMNS = ['span', 'start_ms', ...GROUP_COLUMNS] as const

/** Of usage without keys. */
export const ACCOUNT_PLACE = PLACE_COLUMNS.filter((column) => column !== 'key_id')

export type FigureRow = Readonly<Record<FigureColumn, bigint>>

export type UsageRow = FigureRow & { readonly start_ms: bigint } & Readonly<
    Record<(typeof GROUP_COLUMNS)[number], string>
  >

export function encodeUsage(span: UsageSpan, { startMs, group, figures }: UsageTotal): Parameter[] {
  const { accountId, keyId, model, supplier } = group
  const row: Parameter[] = [span, startMs, accountId, keyId, model, supplier ?? '']
  for (const name of FIGURE_NAMES) row.push(figures[name])
  return row
}

export function encodeAccountUsage(span: UsageSpan, { startMs, group, figures }: UsageTotal): Parameter[] {
  const row: Parameter[] = [span, startMs, group.accountId, group.model, group.supplier ?? '']
  for (const name of FIGURE_NAMES) row.push(figures[name])
  return row
}

export function decodeFigures(row: FigureRow): UsageFigures {
  // A page has thousands of rows: making pairs of them first takes several times as long.
  const figures: Record<string, number | bigint> = {}
  for (const name of FIGURE_NAMES) figures[name] = Number(row[FIGURE_COLUMNS[name]])
  figures.amountNano = row.amount_nano
  figures.marginNano = row.margin_nano
  return figures as unknown as UsageFigures
}

export const ENDED_AT_MS = '(started_at_ms + duration_ms)'

/** Where a settlement is counted: the columns from `start_ms` on. */
export function placeTexts(span: UsageSpan): readonly [start: string, ...groups: string[]] {
  const start = `${ENDED_AT_MS} - ${ENDED_AT_MS} % ${SPAN_MS[span]}`
  return [start, 'account_id', 'key_id', 'model', "coalesce(supplier, '')"]
}

/** How a figure is counted from settlements. */
export function countText(figure: keyof UsageFigures): string {
  const column = FIGURE_COLUMNS[figure]
  if ((OUTCOMES as readonly string[]).includes(column)) {
    return `count(case when outcome = '${column}' then 1 end)`
  }
  // A settlement without a cost costs what was charged.
  if (figure === 'marginNano') return 'coalesce(sum(amount_nano - cost_nano), 0)'
  if (figure === 'firstBytes') return 'count(first_byte_ms)'
  return figure === 'firstByteMs' ? 'coalesce(sum(first_byte_ms), 0)' : `sum(${column})`
}
