import type { ParameterRules } from '../translation.ts'

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
