import type { UsageDetails } from '../../conversation/usage.ts'
import { amount, integer, percent, text, time } from '../../vocabulary/field.ts'
import type { AnyField } from '../../vocabulary/field-codec.ts'
import { LedgerEntry } from '../../vocabulary/ledger.ts'
import { Price } from '../../vocabulary/price.ts'
import { Settlement, UsedDetails, UsedTokens } from '../../vocabulary/settlement.ts'
import { type Fields, type Shape, type ValueIn, wireName } from '../../vocabulary/shape.ts'
import { priceOf } from './charge.ts'
import { endedAtMs } from './period.ts'

/** One column of an export. Its field says how a value is written. */
export interface ExportColumn<T> {
  readonly name: string
  readonly field: AnyField
  value(item: T): unknown
}

/** The format of a column, for the documentation. */
export function kindOf({
  naming,
  codec,
}: AnyField): 'text' | 'number' | 'boolean' | 'amount' | 'time' | 'json' {
  if (naming.unit === 'amount' || naming.unit === 'time') return naming.unit
  const kind = typeof codec.example
  if (kind === 'object') return 'json'
  return kind === 'number' || kind === 'boolean' ? kind : 'text'
}

/** Columns that are fields of what is exported. */
export function columnsOf<F extends Fields>(
  { fields }: Shape<F>,
  names: readonly (keyof F & string)[],
): ExportColumn<ValueIn<F>>[] {
  return names.map((name) => {
    const field = fields[name] as AnyField
    return {
      name: wireName(name, field),
      field,
      value: (item) => (item as Readonly<Record<string, unknown>>)[name],
    }
  })
}

/** Columns that are fields of a part of it, which may be absent. */
function columnsWithin<T, F extends Fields>(
  columns: readonly ExportColumn<ValueIn<F>>[],
  { ending, part }: { readonly ending: string; part(item: T): ValueIn<F> | null },
): ExportColumn<T>[] {
  return columns.map(({ name, field, value }) => ({
    name: `${name}${ending}`,
    field: field.nullable(),
    value: (item) => {
      const found = part(item)
      return found === null ? null : value(found)
    },
  }))
}

const usageOf = ({ usage }: Settlement) => usage
const detailsOf = ({ usage }: Settlement) => usage.details ?? null

const DETAIL_TOKENS = [
  'cacheWrite30m',
  'cacheWrite1h',
  'cacheWrite12h',
  'audioInput',
  'imageInput',
  'audioCacheRead',
  'imageCacheRead',
  'audioOutput',
  'imageOutput',
] as const satisfies readonly (keyof UsageDetails)[]
const OTHER_DETAILS = [
  'webSearches',
  'codeExecutions',
  'serviceTier',
  'imageSize',
  'imageQuality',
] as const satisfies readonly (keyof UsageDetails)[]
const UNIT_DETAILS = [
  'searchUnits',
  'audioMs',
  'characters',
] as const satisfies readonly (keyof UsageDetails)[]

const GENERAL_RATES = [
  'inputNanoPerMillion',
  'outputNanoPerMillion',
  'cacheReadNanoPerMillion',
  'cacheWriteNanoPerMillion',
  'imageNano',
] as const satisfies readonly (keyof Price)[]

/** null for a price with general rates only, which have columns of their own. */
function specialRates({ price }: Settlement): Price | null {
  return price === null || Object.keys(price).length === GENERAL_RATES.length ? null : price
}

/** Add new columns at the end: spreadsheets refer to columns by position. */
export const SETTLEMENT_EXPORT: readonly ExportColumn<Settlement>[] = [
  ...columnsOf(Settlement, ['requestId', 'startedAtMs']),
  { name: 'ended_at', field: time(), value: endedAtMs },
  ...columnsOf(Settlement, ['accountId', 'keyId', 'model', 'supplier', 'credentialId', 'clientFormat']),
  ...columnsOf(Settlement, ['supplierFormat', 'stream', 'outcome', 'amountNano']),
  ...columnsWithin(columnsOf(UsedTokens, ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning']), {
    ending: '_tokens',
    part: usageOf,
  }),
  ...columnsWithin(columnsOf(UsedTokens, ['images']), { ending: '', part: usageOf }),
  ...columnsOf(Settlement, ['provenance']),
  ...columnsWithin(columnsOf(Price, GENERAL_RATES), {
    ending: '_price',
    part: ({ price }: Settlement) => price,
  }),
  { name: 'attempts', field: integer(), value: ({ attempts }) => attempts.length },
  ...columnsOf(Settlement, ['firstByteMs', 'durationMs']),
  ...columnsWithin(columnsOf(UsedDetails, DETAIL_TOKENS), { ending: '_tokens', part: detailsOf }),
  ...columnsWithin(columnsOf(UsedDetails, OTHER_DETAILS), { ending: '', part: detailsOf }),
  { name: 'rates', field: Price.field.nullable(), value: specialRates },
  {
    name: 'price_total',
    field: amount(),
    value: ({ usage, price }) => (price === null ? 0n : priceOf(usage, price)),
  },
  {
    name: 'markup_percent',
    field: percent().nullable(),
    value: ({ markupBasisPoints }) => markupBasisPoints,
  },
  {
    name: 'notes',
    field: text().nullable(),
    value: ({ notes }) => (notes.length === 0 ? null : notes.join(' ')),
  },
  { name: 'cost_rates', field: Price.field.nullable(), value: ({ costRates }) => costRates },
  ...columnsOf(Settlement, ['costNano']),
  { name: 'margin', field: amount(), value: ({ amountNano, costNano }) => amountNano - costNano },
  ...columnsOf(Settlement, ['session', 'agent', 'parentAgent']),
  ...columnsWithin(columnsOf(UsedDetails, UNIT_DETAILS), { ending: '', part: detailsOf }),
]

export const LEDGER_EXPORT = columnsOf(LedgerEntry, [
  'accountId',
  'atMs',
  'kind',
  'id',
  'amountNano',
  'requestId',
  'reference',
  'note',
])

/** The last column of every export: the cursor of the next page. */
export const CURSOR_COLUMN = 'cursor'
