/** Words that the console needs too. This file imports nothing, so that a browser can load it. */

export const TIER_NAMES = ['Starter', 'Builder', 'Scale', 'Enterprise', 'Trial'] as const

/** The wire formats in which models answer with text. */
export const TEXT_FORMATS = ['chat-completion', 'responses', 'messages', 'content-generation'] as const

/** The wire formats clients and suppliers speak. Only suppliers speak the last three, which are named after their vendors. */
export const FORMATS = [
  ...TEXT_FORMATS,
  'images',
  'completions',
  'embeddings',
  'rerank',
  'moderations',
  'transcriptions',
  'speech',
  'cohere',
  'voyage',
  'titan',
] as const

export const MODEL_KINDS = [
  'text',
  'image',
  'image-edit',
  'embedding',
  'rerank',
  'moderation',
  'transcription',
  'speech',
] as const

/** The outcomes of an admitted request. */
export const OUTCOMES = ['completed', 'client_left', 'supplier_failed', 'refused', 'interrupted'] as const

export const ALERT_KINDS = [
  'budget.threshold',
  'key.limit_reached',
  'balance.low',
  'credential.disabled',
  'route.unpriced',
  'usage.implausible',
  'circuit.open',
  'journal.waiting',
  'node.lost',
  'sink.failing',
] as const

/** What the audit log calls alerts. */
export const ALERT_ACTIONS: Readonly<Record<(typeof ALERT_KINDS)[number], string>> = {
  'budget.threshold': 'alert.budget',
  'key.limit_reached': 'alert.key_limit',
  'balance.low': 'alert.balance',
  'credential.disabled': 'alert.credential',
  'route.unpriced': 'alert.unpriced_route',
  'usage.implausible': 'alert.usage',
  'circuit.open': 'alert.circuit',
  'journal.waiting': 'alert.journal',
  'node.lost': 'alert.node',
  'sink.failing': 'alert.sink',
}

/** What operators are told unless they choose otherwise: what they can do something about. */
export const USUAL_ALERT_KINDS = ALERT_KINDS.filter(
  (kind) => kind !== 'budget.threshold' && kind !== 'key.limit_reached',
)

/** Where operators can be told of alerts. */
export const CHANNEL_TYPES = ['webhook', 'slack', 'email'] as const

/** The roles of an account's members. */
export const ROLES = ['owner', 'developer', 'billing', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/**
 * What members of an account may do, and which roles may do it. The endpoint guard, the API document, the table in
 * the docs and the console follow from it. Operators may do everything.
 */
export const RIGHTS = {
  /** Usage, requests, keys, models and alerts; no secrets and no stored bodies. */
  'see-account': ROLES,
  'see-bodies': ['owner', 'developer', 'viewer'],
  /** Ledger, payments and ways to pay. */
  'see-money': ['owner', 'developer', 'billing'],
  /** Create, change and revoke keys, and use the playground, which has a key too. */
  'manage-keys': ['owner', 'developer'],
  'manage-bodies': ['owner', 'developer'],
  /** Save and delete views of Explore, which all members share. */
  'save-views': ['owner', 'developer', 'billing'],
  /** The webhook, and when to warn. */
  'manage-alerts': ['owner', 'billing'],
  /** Members, own suppliers, and the account itself. */
  'manage-account': ['owner'],
} as const satisfies Readonly<Record<string, readonly Role[]>>
export type Right = keyof typeof RIGHTS

export function hasRight(role: Role, right: Right): boolean {
  return (RIGHTS[right] as readonly Role[]).includes(role)
}

/** What Explore can show. `cost` and `margin` are for operators. */
export const EXPLORE_METRICS = [
  'spend',
  'cost',
  'margin',
  'requests',
  'tokens',
  'input_tokens',
  'output_tokens',
  'errors',
  'error_rate',
  'cache_hit_rate',
  'saved',
  'tokens_per_second',
  'first_byte_p50',
  'first_byte_p95',
  'first_byte_p99',
  'duration_p50',
  'duration_p95',
  'duration_p99',
] as const

/** What Explore can tell apart. `account` is for operators. */
export const EXPLORE_GROUPS = [
  'none',
  'model',
  'key',
  'supplier',
  'session',
  'agent',
  'code',
  'account',
] as const

/** The periods (UTC) of Explore; weeks begin on Monday. */
export const EXPLORE_SPANS = ['hour', 'day', 'week', 'month'] as const

/** What the values of a metric are: amounts of money, counts, shares of one, milliseconds, or tokens per second. */
export const EXPLORE_UNITS = ['amount', 'count', 'share', 'milliseconds', 'per_second'] as const
