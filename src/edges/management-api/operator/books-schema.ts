import Type, { type TSchema } from 'typebox'
import {
  CURSOR_COLUMN,
  type ExportColumn,
  LEDGER_EXPORT,
  SETTLEMENT_EXPORT,
} from '../../../rules/ledger/export-columns.ts'

const closed = { additionalProperties: false } as const

const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Count = Type.Integer({ minimum: 0 })
const Amount = Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' })
const Time = Type.String({ format: 'date-time' })

export const UsageAnswer = Type.Object(
  {
    starts_at: Time,
    account_id: Type.Optional(Type.String()),
    key_id: Type.Optional(Type.String()),
    model: Type.Optional(Type.String()),
    supplier: Type.Optional(OrNull(Type.String())),
    requests: Count,
    outcomes: Type.Object(
      { completed: Count, client_left: Count, supplier_failed: Count, refused: Count, interrupted: Count },
      closed,
    ),
    usage: Type.Object(
      { input: Count, cache_read: Count, cache_write: Count, output: Count, reasoning: Count, images: Count },
      closed,
    ),
    amount: Amount,
    first_bytes: Count,
    first_byte_ms: Count,
    duration_ms: Count,
  },
  closed,
)

export const LedgerVerificationAnswer = Type.Object(
  {
    difference: OrNull(Type.String()),
    checked: Type.Object(
      {
        accounts: Count,
        payments: Count,
        refunds: Count,
        settlements: Count,
        days: Count,
        journaled: Count,
      },
      closed,
    ),
    waiting: Count,
  },
  closed,
)

const CELLS = {
  text: OrNull(Type.String()),
  number: OrNull(Type.Number()),
  boolean: Type.Boolean(),
  amount: OrNull(Amount),
  time: Time,
} as const satisfies Record<ExportColumn<never>['kind'], TSchema>

function lineSchema<T>(columns: readonly ExportColumn<T>[]) {
  const cells = columns.map(({ name, kind }): [string, TSchema] => [name, CELLS[kind]])
  return Type.Object({ ...Object.fromEntries(cells), [CURSOR_COLUMN]: Type.String() }, closed)
}

/** A line of an export as JSON. */
export const ExportedSettlementAnswer = lineSchema(SETTLEMENT_EXPORT)
export const ExportedLedgerEntryAnswer = lineSchema(LEDGER_EXPORT)
