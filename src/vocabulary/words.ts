/** Words that the console needs too. This file imports nothing, so that a browser can load it. */

export const TIER_NAMES = ['Starter', 'Builder', 'Scale', 'Enterprise', 'Trial'] as const

/** The wire formats clients and suppliers speak. */
export const FORMATS = ['chat-completion', 'responses', 'messages', 'content-generation', 'images'] as const

export const MODEL_KINDS = ['text', 'image', 'image-edit'] as const

/** The outcomes of an admitted request. */
export const OUTCOMES = ['completed', 'client_left', 'supplier_failed', 'refused', 'interrupted'] as const
