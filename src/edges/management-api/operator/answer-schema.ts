import Type, { type TSchema } from 'typebox'
import { TIER_NAMES } from '../../../vocabulary/account.ts'
import { USAGE_PERIODS } from '../../../vocabulary/api-key.ts'
import { FORMATS, MODEL_KINDS, SUPPLIER_TYPES } from '../../../vocabulary/supply.ts'

// An answer with a field that is not described here is a mistake of one of the two, and tests find it.
const closed = { additionalProperties: false } as const

const OrNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Id = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Seconds = OrNull(Type.Number({ exclusiveMinimum: 0 }))
const Limit = OrNull(Type.Integer({ minimum: 1 }))
/** USDT as a decimal string. */
const Amount = Type.String({ pattern: '^-?\\d+(\\.\\d+)?$' })
/** RFC 3339 in UTC. */
const Time = Type.String({ format: 'date-time' })
const Format = Type.Enum([...FORMATS])
const Formats = Type.Array(Format)

const limits = { rpm: Limit, tpm: Limit }

export const AccountAnswer = Type.Object(
  {
    id: Id,
    name: Type.String(),
    email: OrNull(Type.String()),
    tier: Type.Enum([...TIER_NAMES]),
    earned_tier: Type.Enum([...TIER_NAMES]),
    tier_assignment: OrNull(
      Type.Object(
        {
          tier: Type.Enum([...TIER_NAMES]),
          ...limits,
          expires_at: OrNull(Time),
          reason: Type.String(),
          assigned_by: Type.String(),
        },
        closed,
      ),
    ),
    limits: Type.Object(limits, closed),
    total_paid: Amount,
    balance: Amount,
    credit_line: OrNull(Amount),
    balance_alert: OrNull(Amount),
    created_at: Time,
  },
  closed,
)

export const TierEvaluationAnswer = Type.Object(
  {
    evaluated: Count,
    raised: Type.Array(
      Type.Object(
        { account_id: Id, from: Type.Enum([...TIER_NAMES]), to: Type.Enum([...TIER_NAMES]) },
        closed,
      ),
    ),
  },
  closed,
)

const keyFields = {
  id: Id,
  account_id: Id,
  name: Type.String(),
  state: Type.Enum(['active', 'disabled', 'expired', 'revoked']),
  last_four: OrNull(Type.String()),
  route_policy: Type.Object(
    { mode: Type.Enum(['intelligent', 'specified_provider']), provider: Type.Optional(Type.String()) },
    closed,
  ),
  usage_limit: OrNull(Type.Object({ period: Type.Enum([...USAGE_PERIODS]), amount: Amount }, closed)),
  ...limits,
  model_allowlist: OrNull(Type.Array(Type.String())),
  budget: OrNull(Type.Object({ amount: Amount, thresholds: Type.Array(Count) }, closed)),
  expires_at: OrNull(Time),
  shared_fallback: Type.Boolean(),
  created_at: Time,
  usage: Type.Object(
    {
      period: Type.Enum([...USAGE_PERIODS]),
      spent: Amount,
      held: Amount,
      remaining: OrNull(Amount),
      resets_at: OrNull(Time),
      spent_this_month: Amount,
    },
    closed,
  ),
}

export const KeyAnswer = Type.Object(keyFields, closed)

/** The only answers that ever hold a secret: those to creating and rotating a key. */
export const IssuedKeyAnswer = Type.Object({ ...keyFields, secret: Type.String() }, closed)

export const SupplierAnswer = Type.Object(
  {
    id: Id,
    type: Type.Enum([...SUPPLIER_TYPES]),
    base_url: Type.String(),
    formats: Formats,
    source: Type.Enum(['shared', 'byok']),
    account_id: OrNull(Id),
    enabled: Type.Boolean(),
    options: Type.Record(Type.String(), Type.String()),
    timeouts: Type.Object(
      { connect_seconds: Seconds, first_byte_seconds: Seconds, idle_seconds: Seconds },
      closed,
    ),
  },
  closed,
)

const credentialFields = {
  id: Id,
  supplier: Id,
  label: OrNull(Type.String()),
  last_four: OrNull(Type.String()),
  ...limits,
  weight: Type.Number({ exclusiveMinimum: 0 }),
  state: Type.Enum(['active', 'disabled']),
}

export const CredentialAnswer = Type.Object(credentialFields, closed)

export const DeletedAnswer = Type.Object({ id: Id, deleted: Type.Literal(true) }, closed)

export const ModelAnswer = Type.Object(
  {
    id: Id,
    owned_by: Type.String(),
    display_name: Type.String(),
    description: Type.String(),
    kinds: Type.Array(Type.Enum([...MODEL_KINDS])),
    input_token_limit: Limit,
    output_token_limit: Limit,
    ...limits,
    capabilities: Type.Object({}),
    created_at: Time,
  },
  closed,
)

const Price = Type.Object(
  { input: Amount, output: Amount, cache_read: Amount, cache_write: Amount, image: Amount },
  closed,
)

const routeFields = {
  model: Id,
  supplier: Id,
  upstream_model: Type.String(),
  formats: OrNull(Formats),
  price: OrNull(Price),
  ...limits,
  priority: Count,
  enabled: Type.Boolean(),
}

export const RouteAnswer = Type.Object(routeFields, closed)

const CredentialState = Type.Object(
  {
    ...credentialFields,
    circuit: Type.Enum(['closed', 'open', 'half-open']),
    opens_again_at: OrNull(Time),
    cooling_until: OrNull(Time),
    latency_ms: OrNull(Count),
    success_rate: Type.Number({ minimum: 0, maximum: 1 }),
    supplier_remaining: OrNull(Type.Object({ requests: OrNull(Count), tokens: OrNull(Count) }, closed)),
    remaining_requests: OrNull(Count),
    remaining_tokens: OrNull(Count),
  },
  closed,
)

export const RouteStateAnswer = Type.Object(
  { ...routeFields, credentials: Type.Array(CredentialState) },
  closed,
)

/** One page of a list. */
export function listOf(item: TSchema): TSchema {
  return Type.Object({ data: Type.Array(item), next_cursor: OrNull(Type.String()) }, closed)
}
