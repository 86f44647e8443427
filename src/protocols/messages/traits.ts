import type { Traits } from '../../vocabulary/runtime/traits.ts'
import type { ToolRules } from '../translation.ts'

/** Used for unknown models: the traits of the newest models, which accept the least. */
export const MESSAGES_TRAITS: Traits = {
  thinking: { type: 'adaptive', efforts: ['low', 'medium', 'high', 'xhigh', 'max'], canDisable: false },
  vision: true,
  urlImages: true,
  toolResultImages: true,
  structured: 'schema',
  sampling: 'rejected',
  isTemperatureOrTopP: true,
  stop: true,
  penalties: false,
  logprobs: false,
  maxChoices: 1,
  prefill: false,
  inlineSystem: false,
  developerRole: false,
  maxTokensField: 'max_tokens',
  needsReasoningContent: false,
  cacheBreakpoints: true,
}

export const MESSAGES_TOOL_RULES: ToolRules = {
  name: /^[A-Za-z0-9_-]{1,64}$/,
  callId: /^[A-Za-z0-9_-]{1,64}$/,
  hasCustomTools: false,
  hasNamespaces: false,
}
