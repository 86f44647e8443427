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

/** What operators are told unless they choose otherwise: what they can do something about. */
export const USUAL_ALERT_KINDS = ALERT_KINDS.filter(
  (kind) => kind !== 'budget.threshold' && kind !== 'key.limit_reached',
)

/** Where operators can be told of alerts. */
export const CHANNEL_TYPES = ['webhook', 'slack', 'email'] as const
