import { Type } from 'typebox'
import { GatewayError } from '../errors/gateway-error.ts'
import { amount, choice, flag, id, integer, json, limit, list, text, time } from './field.ts'
import { listQuery } from './runtime/list-query.ts'
import { shape, type Value } from './shape.ts'

export type RoutePolicy =
  | { readonly mode: 'intelligent'; readonly provider?: never }
  | { readonly mode: 'specified_provider'; readonly provider: string }

const routePolicy = json<RoutePolicy>(
  Type.Object(
    { mode: Type.Enum(['intelligent', 'specified_provider']), provider: Type.Optional(Type.String()) },
    { additionalProperties: false },
  ),
  { mode: 'intelligent' },
)
  .refine((policy, param) => {
    const needsProvider = policy.mode === 'specified_provider'
    if (needsProvider === (policy.provider !== undefined)) return policy
    throw new GatewayError(
      'invalid_request',
      'route_policy.provider is required with mode "specified_provider" and not allowed with "intelligent".',
      { param: `${param}.provider` },
    )
  })
  .note('`provider` names a supplier. Set it only with `specified_provider`.')

export const USAGE_PERIODS = ['daily', 'weekly', 'monthly', 'forever'] as const
export type UsagePeriod = (typeof USAGE_PERIODS)[number]

/** A fixed amount per period. A key without one has no separate limit. */
const UsageLimit = shape('UsageLimit', { period: choice(USAGE_PERIODS), amountNano: amount() })
export type UsageLimit = Value<typeof UsageLimit>

/** A monthly amount that warns at its thresholds (percent) and never blocks. */
const Budget = shape('Budget', {
  amountNano: amount(),
  thresholds: list(integer({ min: 1, max: 100 }), { min: 1, max: 20, isSet: true })
    .refine((thresholds) => thresholds.toSorted((a, b) => a - b))
    .default([50, 80, 100])
    .example([50, 80, 100]),
})
export type Budget = Value<typeof Budget>

/** What is stored of a secret: its fingerprint and last four characters, never the secret. */
export const KeySecret = shape('KeySecret', {
  fingerprint: text(),
  lastFour: text(4, { min: 0 }),
  /** Set when an old secret stays valid for a while after a rotation. */
  expiresAtMs: time().nullable(),
})
export type KeySecret = Value<typeof KeySecret>

// Four characters of a shorter secret would reveal too much.
const SHORTEST_SHOWN_SECRET = 13

/** The last characters of a secret, for display; null when the secret is too short. */
export function lastFourOf(secret: string): string | null {
  return secret.length >= SHORTEST_SHOWN_SECRET ? secret.slice(-4) : null
}

/** The settings of a key. */
export const KeySettings = shape('KeyCreate', {
  name: text().example('production'),
  routePolicy: routePolicy.default({ mode: 'intelligent' }),
  usageLimit: UsageLimit.field
    .nullable()
    .default(null)
    .note('The most that the key may spend in a period (UTC; weeks start on Monday); null for no limit.'),
  rpm: limit().note('Requests per minute; null for no separate limit.'),
  tpm: limit().note('Tokens per minute; null for no separate limit.'),
  modelAllowlist: list(text(201))
    .nullable()
    .default(null)
    .note('At most 1,000 model ids, or prefixes followed by `*`; null allows every model.')
    .example(['gpt-*']),
  budget: Budget.field
    .nullable()
    .default(null)
    .note(
      'A monthly amount with thresholds in percent. It only raises alerts; `usage_limit` blocks requests.',
    ),
  expiresAtMs: time().nullable().default(null).note('RFC 3339 time with an offset; null for never.'),
  sharedFallback: flag()
    .default(false)
    .note(
      "Whether shared suppliers may serve requests that the account's own suppliers cannot; false by default.",
    ),
})
export type KeySettings = Value<typeof KeySettings>

/** The default settings of a key: no restrictions. */
export const KeyCreate = KeySettings.draft

export const KeyChange = KeySettings.with('KeyChange', { state: choice(['active', 'disabled']) }).patch
export type KeyChange = ReturnType<(typeof KeyChange)['read']>

export const KeyRotate = shape('KeyRotate', {
  graceSeconds: integer({ max: 31_536_000 })
    .default(0)
    .note('How long the old secret stays valid; 0 by default.')
    .example(3_600),
}).draft

const KEY_STATES = ['active', 'disabled', 'revoked'] as const
export type KeyState = (typeof KEY_STATES)[number]

/** A stored key, without its secrets. */
export const KeyRecord = KeySettings.with('StoredKey', {
  id: id('key'),
  accountId: id('acc'),
  state: choice(KEY_STATES),
  createdAtMs: time(),
})

export interface ApiKey extends Value<typeof KeyRecord> {
  /** Newest first. */
  readonly secrets: readonly KeySecret[]
}

/** A key in audit events, with only the last four characters of its secrets. */
export const KeySummary = KeyRecord.with('KeySummary', {
  state: choice([...KEY_STATES, 'expired']),
  lastFour: text(4).nullable().example('x7Qp'),
})
export type KeySummary = Value<typeof KeySummary>

export function summarizeKey(key: ApiKey, nowMs: number): KeySummary {
  return { ...key, state: keyStateAt(key, nowMs), lastFour: key.secrets[0]?.lastFour ?? null }
}

// A revoked key stays revoked after its expiry.
function keyStateAt({ state, expiresAtMs }: ApiKey, nowMs: number): KeySummary['state'] {
  if (state === 'revoked') return 'revoked'
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : state
}

/** What a key has used of its limit; without a limit, what it has spent since its creation. */
const KeyUsage = shape('KeyUsage', {
  period: choice(USAGE_PERIODS),
  spentNano: amount(),
  /** The maximum cost of its requests in progress. */
  heldNano: amount(),
  /** The remainder of the limit, not counting holds; null without a limit. */
  remainingNano: amount().nullable(),
  resetsAtMs: time().nullable(),
  /** What counts against the budget. */
  monthSpentNano: amount().as('spent_this_month'),
})
export type KeyUsage = Value<typeof KeyUsage>

const keyFacts = {
  createdBy: text()
    .nullable()
    .note('The member who created it; null when it was somebody else.')
    .example('ada@example.com'),
  lastUsedAtMs: time()
    .nullable()
    .note(
      'When its last request began; the day of it when older requests are deleted; null before the first.',
    ),
}

/** What is known of a key beside its settings. */
const KeyFacts = shape('KeyFacts', keyFacts)
export type KeyFacts = Value<typeof KeyFacts>

/** What stops every request of a key, the most lasting first. */
const KEY_STOPS = ['revoked', 'account', 'expired', 'disabled', 'usage_limit', 'balance'] as const
export type KeyStop = (typeof KEY_STOPS)[number]

export const KeyView = KeySummary.with('Key', {
  ...keyFacts,
  usage: KeyUsage.field,
  stoppedBy: choice(KEY_STOPS)
    .nullable()
    .note(
      'Why every request of the key is refused at present; null when none of these stops it. `account`: its account is suspended or closed. `usage_limit` and `balance`: the limit of the key, or the balance of its account with its credit line, is used up.',
    )
    .example(null),
})
export type KeyView = Value<typeof KeyView>

/** What a list of keys may be narrowed to. */
export const KeyListQuery = shape('KeyListQuery', {
  ...listQuery(['name', 'created_at', 'expires_at', 'spent']),
  state: choice([...KEY_STATES, 'expired', 'not_revoked', 'limit_reached']).note(
    'Only keys in this state. `not_revoked`: all but revoked ones. `limit_reached`: those that have used up their limit.',
  ),
})
export type KeyListQuery = Partial<Value<typeof KeyListQuery>>

/** The only answers that contain a secret: those to creating and rotating a key. */
export const IssuedKey = KeyView.with('IssuedKey', { secret: text().example('sk-…') })
export type IssuedKey = Value<typeof IssuedKey>
