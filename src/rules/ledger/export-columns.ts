import type { Settlement } from '../../vocabulary/settlement.ts'
import type { Price } from '../../vocabulary/supply.ts'
import { endedAtMs } from './aggregate.ts'

/** One column of an export. Its kind decides how the value is written. */
export type ExportColumn<T> = { readonly name: string } & (
  | { readonly kind: 'text'; value(item: T): string | null }
  | { readonly kind: 'number'; value(item: T): number | null }
  | { readonly kind: 'boolean'; value(item: T): boolean }
  | { readonly kind: 'amount'; value(item: T): bigint | null }
  | { readonly kind: 'time'; value(item: T): number }
)

function priceColumn(name: string, field: keyof Price): ExportColumn<Settlement> {
  return { name, kind: 'amount', value: ({ price }) => (price === null ? null : price[field]) }
}

/** A new column goes to the end: people's spreadsheets find columns by their place. */
export const SETTLEMENT_EXPORT: readonly ExportColumn<Settlement>[] = [
  { name: 'request_id', kind: 'text', value: ({ requestId }) => requestId },
  { name: 'started_at', kind: 'time', value: ({ startedAtMs }) => startedAtMs },
  { name: 'ended_at', kind: 'time', value: endedAtMs },
  { name: 'account_id', kind: 'text', value: ({ accountId }) => accountId },
  { name: 'key_id', kind: 'text', value: ({ keyId }) => keyId },
  { name: 'model', kind: 'text', value: ({ model }) => model },
  { name: 'supplier', kind: 'text', value: ({ supplier }) => supplier },
  { name: 'credential_id', kind: 'text', value: ({ credentialId }) => credentialId },
  { name: 'client_format', kind: 'text', value: ({ clientFormat }) => clientFormat },
  { name: 'supplier_format', kind: 'text', value: ({ supplierFormat }) => supplierFormat },
  { name: 'stream', kind: 'boolean', value: ({ stream }) => stream },
  { name: 'outcome', kind: 'text', value: ({ outcome }) => outcome },
  { name: 'amount', kind: 'amount', value: ({ amountNano }) => amountNano },
  { name: 'input_tokens', kind: 'number', value: ({ usage }) => usage.input },
  { name: 'cache_read_tokens', kind: 'number', value: ({ usage }) => usage.cacheRead },
  { name: 'cache_write_tokens', kind: 'number', value: ({ usage }) => usage.cacheWrite },
  { name: 'output_tokens', kind: 'number', value: ({ usage }) => usage.output },
  { name: 'reasoning_tokens', kind: 'number', value: ({ usage }) => usage.reasoning },
  { name: 'images', kind: 'number', value: ({ usage }) => usage.images },
  { name: 'provenance', kind: 'text', value: ({ provenance }) => provenance },
  priceColumn('input_price', 'inputNanoPerMillion'),
  priceColumn('output_price', 'outputNanoPerMillion'),
  priceColumn('cache_read_price', 'cacheReadNanoPerMillion'),
  priceColumn('cache_write_price', 'cacheWriteNanoPerMillion'),
  priceColumn('image_price', 'imageNano'),
  { name: 'attempts', kind: 'number', value: ({ attempts }) => attempts.length },
  { name: 'first_byte_ms', kind: 'number', value: ({ firstByteMs }) => firstByteMs },
  { name: 'duration_ms', kind: 'number', value: ({ durationMs }) => durationMs },
]

/** One movement of a balance, as far as an export tells it. */
export interface ExportedEntry {
  readonly kind: string
  readonly id: string
  readonly accountId: string
  readonly amountNano: bigint
  readonly requestId: string | null
  readonly reference: string | null
  readonly note: string | null
  readonly atMs: number
}

export const LEDGER_EXPORT: readonly ExportColumn<ExportedEntry>[] = [
  { name: 'account_id', kind: 'text', value: ({ accountId }) => accountId },
  { name: 'created_at', kind: 'time', value: ({ atMs }) => atMs },
  { name: 'kind', kind: 'text', value: ({ kind }) => kind },
  { name: 'id', kind: 'text', value: ({ id }) => id },
  { name: 'amount', kind: 'amount', value: ({ amountNano }) => amountNano },
  { name: 'request_id', kind: 'text', value: ({ requestId }) => requestId },
  { name: 'reference', kind: 'text', value: ({ reference }) => reference },
  { name: 'note', kind: 'text', value: ({ note }) => note },
]

/** The last column of every export: where the next one may begin. */
export const CURSOR_COLUMN = 'cursor'
