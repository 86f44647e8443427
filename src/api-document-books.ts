import { cleanSchema, type JsonSchema } from './edges/api-docs/clean-schema.ts'
import type { OperationDescription, ParameterDescription } from './edges/api-docs/description.ts'
import { listOf } from './edges/management-api/operator/answer-schema.ts'
import { lineSchema } from './edges/management-api/operator/exports.ts'
import { LEDGER_EXPORT, SETTLEMENT_EXPORT } from './rules/ledger/export-columns.ts'
import { LedgerVerification } from './vocabulary/ledger.ts'
import { UsageView } from './vocabulary/settlement.ts'

const ROOT = '/operator/v1'
const ERRORS = { family: 'OperatorError', statuses: [400, 401, 429, 500, 503] }

const ACCOUNT: ParameterDescription = {
  name: 'account_id',
  in: 'query',
  description: 'Only this account id.',
}
const KEY_AND_MODEL: readonly ParameterDescription[] = [
  { name: 'key_id', in: 'query', description: 'Only this key id.' },
  { name: 'model', in: 'query', description: 'Only this model id.' },
]

/** What `from` and `to` are about. */
function times(what: string): ParameterDescription[] {
  return [
    { name: 'from', in: 'query', description: `${what} at this RFC 3339 time or later.` },
    { name: 'to', in: 'query', description: `${what} before this RFC 3339 time.` },
  ]
}

const EXPORT_PARAMETERS: readonly ParameterDescription[] = [
  {
    name: 'format',
    in: 'query',
    description: 'How the lines are written.',
    schema: { type: 'string', enum: ['csv', 'jsonl'], default: 'csv' },
  },
  { name: 'cursor', in: 'query', description: 'The `cursor` of the last line that arrived.' },
  {
    name: 'limit',
    in: 'query',
    description: 'The most lines to give; all when left out.',
    schema: { type: 'integer', minimum: 1 },
  },
]

/** The part of the operator API that looks at the books. */
export function bookOperations(): OperationDescription[] {
  return [
    usageList(),
    {
      endpoint: `GET ${ROOT}/ledger/verify`,
      id: 'verifyLedger',
      tag: 'History',
      summary: 'Verify that the books agree',
      description: 'Compares balances, payments, settlements, usage and journal, up to the first difference.',
      security: ['operatorToken'],
      answer: { description: 'What was compared.', schema: 'LedgerVerification' },
      errors: ERRORS,
    },
    exportOf('settlements', {
      id: 'exportSettlements',
      schema: 'ExportedSettlement',
      parameters: [ACCOUNT, ...KEY_AND_MODEL, ...times('Started')],
    }),
    exportOf('ledger', {
      id: 'exportLedger',
      schema: 'ExportedLedgerEntry',
      parameters: [ACCOUNT, ...times('Entered')],
    }),
  ]
}

function usageList(): OperationDescription {
  return {
    endpoint: `GET ${ROOT}/usage`,
    id: 'listUsage',
    tag: 'History',
    summary: 'List usage by hour or day, oldest first',
    description: 'A request is counted in the hour and the day (UTC) it ended in.',
    security: ['operatorToken'],
    parameters: [
      ACCOUNT,
      ...KEY_AND_MODEL,
      { name: 'supplier', in: 'query', description: 'Only this supplier id.' },
      ...times('Hours or days that begin'),
      {
        name: 'granularity',
        in: 'query',
        description: 'What is added up.',
        schema: { type: 'string', enum: ['hour', 'day'], default: 'day' },
      },
      {
        name: 'group_by',
        in: 'query',
        description:
          'What is told apart: `account_id`, `key_id`, `model`, `supplier`, several separated by commas.',
      },
      {
        name: 'limit',
        in: 'query',
        description: 'The most items to give.',
        schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
      },
      { name: 'cursor', in: 'query', description: 'The `next_cursor` of the page before.' },
    ],
    answer: {
      description: 'Sums, of which `first_byte_ms` is over `first_bytes` requests.',
      schema: 'UsageList',
    },
    errors: ERRORS,
  }
}

interface ExportDescription {
  readonly id: string
  readonly schema: string
  readonly parameters: readonly ParameterDescription[]
}

function exportOf(name: string, { id, schema, parameters }: ExportDescription): OperationDescription {
  return {
    endpoint: `GET ${ROOT}/exports/${name}`,
    id,
    tag: 'History',
    summary: `Export ${name}`,
    description: 'Streamed at the pace of the reader. An export that was cut off goes on after a `cursor`.',
    security: ['operatorToken'],
    parameters: [...parameters, ...EXPORT_PARAMETERS],
    answer: {
      description: 'One object on each line.',
      schema,
      contentType: 'application/x-ndjson',
      table:
        'RFC 4180 with a byte order mark and a line of column names; neither of the two after a `cursor`.',
    },
    errors: ERRORS,
  }
}

export function bookSchemas(): Record<string, JsonSchema> {
  return {
    Usage: cleanSchema(UsageView.schema),
    UsageList: cleanSchema(listOf(UsageView.schema)),
    LedgerVerification: cleanSchema(LedgerVerification.schema),
    ExportedSettlement: cleanSchema(lineSchema(SETTLEMENT_EXPORT)),
    ExportedLedgerEntry: cleanSchema(lineSchema(LEDGER_EXPORT)),
  }
}
