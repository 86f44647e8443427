import { FIGURE_NAMES, type UsageTotal } from '../../../rules/ledger/aggregate.ts'
import type { UsageFigures, UsageSpan } from '../../../vocabulary/settlement.ts'
import type { Parameter } from '../database.ts'

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
  firstBytes: 'first_bytes',
  firstByteMs: 'first_byte_ms',
  durationMs: 'duration_ms',
} as const satisfies Record<keyof UsageFigures, string>

type FigureColumn = (typeof FIGURE_COLUMNS)[keyof UsageFigures]

/** In the order of the figures. */
export const FIGURES = FIGURE_NAMES.map((name) => FIGURE_COLUMNS[name])

export const PLACE_COLUMNS = ['span', 'start_ms', 'account_id', 'key_id', 'model', 'supplier'] as const

export type FigureRow = Readonly<Record<FigureColumn, bigint>>

export interface UsageRow extends FigureRow {
  readonly start_ms: bigint
  readonly account_id: string
  readonly key_id: string
  readonly model: string
  readonly supplier: string
}

export function encodeUsage(span: UsageSpan, { startMs, group, figures }: UsageTotal): Parameter[] {
  const { accountId, keyId, model, supplier } = group
  const row: Parameter[] = [span, startMs, accountId, keyId, model, supplier ?? '']
  for (const name of FIGURE_NAMES) row.push(figures[name])
  return row
}

export function decodeFigures(row: FigureRow): UsageFigures {
  const number = (name: keyof UsageFigures) => Number(row[FIGURE_COLUMNS[name]])
  return {
    completed: number('completed'),
    clientLeft: number('clientLeft'),
    supplierFailed: number('supplierFailed'),
    refused: number('refused'),
    interrupted: number('interrupted'),
    input: number('input'),
    cacheRead: number('cacheRead'),
    cacheWrite: number('cacheWrite'),
    output: number('output'),
    reasoning: number('reasoning'),
    images: number('images'),
    amountNano: row.amount_nano,
    firstBytes: number('firstBytes'),
    firstByteMs: number('firstByteMs'),
    durationMs: number('durationMs'),
  }
}
