import Type, { type TSchema } from 'typebox'
import { ERROR_CODES, type ErrorCode } from '../../errors/codes.ts'
import { CONSTRAINTS } from '../../vocabulary/account.ts'
import { TIER_NAMES } from '../../vocabulary/account.ts'
import { FORMATS, MODEL_KINDS, SUPPLIER_TYPES } from '../../vocabulary/supply.ts'

const CODES = Object.keys(ERROR_CODES) as ErrorCode[]

export const ErrorObject = Type.Object({
  message: Type.String({ description: 'For people; may change.' }),
  type: Type.Enum(CODES, { description: 'Always the same as `code`.' }),
  code: Type.Enum(CODES, { description: 'What to branch on.' }),
  param: Type.Union([Type.String(), Type.Null()], {
    description: 'The field at fault, such as `messages[0].role`.',
  }),
})

/** The body of every refusal. */
export const ErrorSchema = Type.Object({ error: ErrorObject })

const RoutePolicy = Type.Object({
  mode: Type.Enum(['intelligent', 'specified_provider']),
  provider: Type.Optional(Type.String({ description: 'Present with `specified_provider`.' })),
})

/** A model as a key sees it in `GET /v1/models`. */
export const ModelSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  type: Type.Literal('model'),
  created: Type.Integer({ description: 'Unix time in seconds.' }),
  created_at: Type.String({ description: 'The same as an RFC 3339 time.' }),
  owned_by: Type.String(),
  display_name: Type.String(),
  gateway: Type.Object({
    route_policy: RoutePolicy,
    provider_types: Type.Array(Type.Enum([...SUPPLIER_TYPES])),
    protocols: Type.Array(Type.Enum([...FORMATS]), {
      description: 'Formats its suppliers speak; clients may use any.',
    }),
    source: Type.Enum(['shared', 'byok', 'mixed'], {
      description: 'Whose credentials may serve: of the platform, of the account itself, or both.',
    }),
    kinds: Type.Array(Type.Enum([...MODEL_KINDS]), {
      description: 'What it does: `text` answers, `image` makes pictures, `image-edit` changes them.',
    }),
    limits: Type.Optional(
      Type.Object(
        { rpm: Type.Optional(Type.Integer()), tpm: Type.Optional(Type.Integer()) },
        { description: 'The limits in force for this key and model; absent when there are none.' },
      ),
    ),
    routeable: Type.Boolean({ description: 'Whether a supplier with a usable credential is there.' }),
  }),
})

const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const WindowState = OrNull(
  Type.Object({
    remaining: Type.Integer({ description: 'Left in the present minute.' }),
    reset_seconds: Type.Integer({ description: 'Until all of it is free again; 0 when nothing is spent.' }),
  }),
)

const ownLimits = {
  rpm: OrNull(Type.Integer({ description: 'Requests per minute.' })),
  tpm: OrNull(Type.Integer({ description: 'Tokens per minute.' })),
  requests: WindowState,
  tokens: WindowState,
}

const BindingLimit = OrNull(
  Type.Object({
    value: Type.Integer({ minimum: 0 }),
    constraint: Type.Enum([...CONSTRAINTS], { description: 'Whose limit it is.' }),
  }),
)

/** A caller's own limits, and what limits it at each model. Null: nothing does. */
export const LimitsSchema = Type.Object({
  object: Type.Literal('limits'),
  account: Type.Object({ tier: Type.Enum([...TIER_NAMES]), ...ownLimits }),
  key: Type.Object(ownLimits),
  models: Type.Array(
    Type.Object({
      id: Type.String(),
      source: Type.Enum(['shared', 'byok', 'mixed']),
      rpm: BindingLimit,
      tpm: BindingLimit,
    }),
  ),
})

const page = {
  object: Type.Literal('list'),
  has_more: Type.Boolean(),
  first_id: Type.Union([Type.String(), Type.Null()]),
  last_id: Type.Union([Type.String(), Type.Null()]),
}

export const ModelListSchema = Type.Object({ ...page, data: Type.Array(ModelSchema) })

export const InputItemListSchema = Type.Object({
  ...page,
  data: Type.Array(Type.Object({ id: Type.String() })),
})

export const DeletedResponseSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('response'),
  deleted: Type.Literal(true),
})

export const HealthSchema = Type.Object({ status: Type.Literal('ok') })

export const ReadinessSchema = Type.Object({
  status: Type.Enum(['ready', 'not ready']),
  reason: Type.Optional(Type.String({ description: 'Present when it is not ready.' })),
  degraded: Type.Optional(
    Type.Array(Type.String(), { description: 'What is missing at all nodes alike, while it is ready.' }),
  ),
})
