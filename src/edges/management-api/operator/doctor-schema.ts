import { Type } from 'typebox'
import { FORMATS } from '../../../vocabulary/supply.ts'

const closed = { additionalProperties: false } as const

const TextOrNull = Type.Union([Type.String(), Type.Null()])
const CountOrNull = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])
const Names = Type.Array(Type.String())

export const FindingsAnswer = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          supplier: Type.String(),
          credential_id: TextOrNull,
          label: TextOrNull,
          last_four: TextOrNull,
          model: TextOrNull,
          format: Type.Union([Type.Enum([...FORMATS]), Type.Null()]),
          result: Type.Enum([
            'works',
            'skipped',
            'not_configured',
            'input',
            'context_length',
            'rate_limited',
            'overloaded',
            'server',
            'timeout',
            'unreachable',
            'credential',
            'denied',
            'local',
            'malformed',
          ]),
          status: CountOrNull,
          latency_ms: CountOrNull,
          hint: Type.String(),
        },
        closed,
      ),
    ),
  },
  closed,
)

export const ModelComparisonAnswer = Type.Object(
  {
    supplier: Type.String(),
    offered: Names,
    configured: Names,
    catalog: Names,
    missing: Names,
    unknown: Names,
  },
  closed,
)
