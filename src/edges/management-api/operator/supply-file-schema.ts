import { Type } from 'typebox'

const closed = { additionalProperties: false } as const

export const SupplyFileBody = Type.Object(
  {
    document: Type.String({ maxLength: 1_048_576 }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 300, pattern: '^[^\\u0000-\\u001f]+$' })),
    variables: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 10_000 }))),
    dry_run: Type.Optional(Type.Boolean()),
  },
  closed,
)

const SupplyChange = Type.Object(
  {
    kind: Type.Enum(['supplier', 'credential', 'model', 'route']),
    id: Type.String(),
    result: Type.Enum(['created', 'changed', 'removed', 'unchanged']),
    fields: Type.Array(Type.String()),
  },
  closed,
)

export const SupplyChangesAnswer = Type.Object(
  { dry_run: Type.Boolean(), changes: Type.Array(SupplyChange) },
  closed,
)
