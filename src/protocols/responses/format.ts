import { DEFAULT_TRAITS, type Traits } from '../../vocabulary/runtime/traits.ts'
import type { ParameterRules, ToolRules } from '../translation.ts'

/** The name of this format. Opaque parts and extras of this format carry it. */
export const FORMAT = 'responses'

export const RESPONSES_TRAITS: Traits = {
  ...DEFAULT_TRAITS,
  stop: false,
  penalties: false,
  maxChoices: 1,
  inlineSystem: true,
  developerRole: true,
}

export const RESPONSES_TOOL_RULES: ToolRules = {
  name: /^[A-Za-z0-9_-]{1,64}$/,
  callId: /^[A-Za-z0-9_-]{1,64}$/,
  hasCustomTools: true,
  hasNamespaces: true,
}

export const RESPONSES_PARAMETERS: ParameterRules = {
  strippable: new Set([
    'temperature',
    'top_p',
    'reasoning',
    'reasoning.effort',
    'reasoning.summary',
    'reasoning.generate_summary',
    'text.verbosity',
    'include',
    'parallel_tool_calls',
    'truncation',
    'user',
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_options',
    'prompt_cache_retention',
    'service_tier',
    'store',
    'metadata',
    'client_metadata',
    'context_management',
    'stream_options',
    'stream_options.include_obfuscation',
  ]),
  respelled: {},
}
