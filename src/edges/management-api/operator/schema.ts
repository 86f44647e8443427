import { Type } from 'typebox'
import { TIER_NAMES } from '../../../vocabulary/account.ts'
import { USAGE_PERIODS } from '../../../vocabulary/api-key.ts'
import { FORMATS, MODEL_KINDS, SUPPLIER_TYPES } from '../../../vocabulary/supply.ts'

// What every database column for such numbers holds.
const LARGEST_COUNT = 2_000_000_000
const YEAR_SECONDS = 31_536_000

// An unknown field is a misspelt one more often than not; accepting it would lose what it was meant to say.
const closed = { additionalProperties: false } as const

// Null comes last: of a value that fits neither side, the first complaint is then about the side that was meant.
const Count = Type.Union([Type.Integer({ minimum: 1, maximum: LARGEST_COUNT }), Type.Null()])
const Name = Type.String({ minLength: 1, maxLength: 200 })
const Text = Type.String({ maxLength: 2000 })
/** A decimal string; its digits are checked where it is read into nano-USDT. */
const Amount = Type.String({ minLength: 1, maxLength: 30 })
const Time = Type.Union([Type.String({ maxLength: 40 }), Type.Null()])
const Formats = Type.Array(Type.Enum([...FORMATS]), {
  minItems: 1,
  maxItems: FORMATS.length,
  uniqueItems: true,
})

export const AccountBody = Type.Object(
  { name: Name, email: Type.Optional(Type.Union([Type.String({ maxLength: 320 }), Type.Null()])) },
  closed,
)

export const AccountChangeBody = Type.Object(
  {
    name: Type.Optional(Name),
    credit_line: Type.Optional(Type.Union([Amount, Type.Null()])),
    balance_alert: Type.Optional(Type.Union([Amount, Type.Null()])),
  },
  closed,
)

export const TierBody = Type.Object(
  {
    tier: Type.Enum([...TIER_NAMES]),
    rpm: Type.Optional(Count),
    tpm: Type.Optional(Count),
    expires_at: Type.Optional(Time),
    reason: Type.String({ minLength: 1, maxLength: 2000 }),
  },
  closed,
)

const RoutePolicyBody = Type.Object(
  { mode: Type.Enum(['intelligent', 'specified_provider']), provider: Type.Optional(Type.String()) },
  closed,
)

const UsageLimitBody = Type.Union([
  Type.Object({ period: Type.Enum([...USAGE_PERIODS]), amount: Amount }, closed),
  Type.Null(),
])

const BudgetBody = Type.Union([
  Type.Object(
    {
      amount: Amount,
      thresholds: Type.Optional(
        Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
          minItems: 1,
          maxItems: 20,
          uniqueItems: true,
        }),
      ),
    },
    closed,
  ),
  Type.Null(),
])

const keyFields = {
  route_policy: Type.Optional(RoutePolicyBody),
  usage_limit: Type.Optional(UsageLimitBody),
  rpm: Type.Optional(Count),
  tpm: Type.Optional(Count),
  model_allowlist: Type.Optional(
    Type.Union([Type.Array(Type.String({ minLength: 1, maxLength: 201 })), Type.Null()]),
  ),
  budget: Type.Optional(BudgetBody),
  expires_at: Type.Optional(Time),
  shared_fallback: Type.Optional(Type.Boolean()),
}

export const KeyBody = Type.Object({ name: Name, ...keyFields }, closed)

export const KeyChangeBody = Type.Object(
  { name: Type.Optional(Name), ...keyFields, state: Type.Optional(Type.Enum(['active', 'disabled'])) },
  closed,
)

export const RotateBody = Type.Object(
  { grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: YEAR_SECONDS })) },
  closed,
)

/** How long is sensible is checked where the supplier is: the supply file says it in the same words. */
const Seconds = Type.Optional(Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()]))

export const SupplierBody = Type.Object(
  {
    type: Type.Enum([...SUPPLIER_TYPES]),
    base_url: Type.String({ minLength: 1, maxLength: 2000 }),
    formats: Formats,
    source: Type.Optional(Type.Enum(['shared', 'byok'])),
    account_id: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
    enabled: Type.Optional(Type.Boolean()),
    options: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 2000 }))),
    timeouts: Type.Optional(
      Type.Object({ connect_seconds: Seconds, first_byte_seconds: Seconds, idle_seconds: Seconds }, closed),
    ),
  },
  closed,
)

const Secret = Type.String({ minLength: 1, maxLength: 10_000 })

const credentialFields = {
  label: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
  rpm: Type.Optional(Count),
  tpm: Type.Optional(Count),
  weight: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 })),
}

export const CredentialBody = Type.Object({ secret: Secret, ...credentialFields }, closed)

export const CredentialChangeBody = Type.Object(
  {
    secret: Type.Optional(Secret),
    ...credentialFields,
    state: Type.Optional(Type.Enum(['active', 'disabled'])),
  },
  closed,
)

export const ModelBody = Type.Object(
  {
    owned_by: Name,
    display_name: Type.Optional(Name),
    description: Type.Optional(Text),
    kinds: Type.Optional(
      Type.Array(Type.Enum([...MODEL_KINDS]), {
        minItems: 1,
        maxItems: MODEL_KINDS.length,
        uniqueItems: true,
      }),
    ),
    input_token_limit: Type.Optional(Count),
    output_token_limit: Type.Optional(Count),
    rpm: Type.Optional(Count),
    tpm: Type.Optional(Count),
    capabilities: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
)

const PriceBody = Type.Union([
  Type.Object(
    {
      input: Amount,
      output: Amount,
      cache_read: Type.Optional(Amount),
      cache_write: Type.Optional(Amount),
      image: Type.Optional(Amount),
    },
    closed,
  ),
  Type.Null(),
])

export const RouteBody = Type.Object(
  {
    upstream_model: Name,
    formats: Type.Optional(Type.Union([Formats, Type.Null()])),
    price: Type.Optional(PriceBody),
    rpm: Type.Optional(Count),
    tpm: Type.Optional(Count),
    priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    enabled: Type.Optional(Type.Boolean()),
  },
  closed,
)
