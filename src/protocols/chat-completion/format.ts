import { DEFAULT_TRAITS, type Traits } from '../../vocabulary/runtime/traits.ts'
import type { ParameterRules, ToolRules } from '../translation.ts'

export const FORMAT = 'chat-completion'

/** Prefix for the kind of an opaque part that is a call. */
export const OPAQUE_CALL = 'tool_calls.'

/** Tool messages hold text only. System messages may occur anywhere. */
export const CHAT_TRAITS: Traits = { ...DEFAULT_TRAITS, toolResultImages: false, inlineSystem: true }

export const CHAT_TOOL_RULES: ToolRules = {
  name: /^[A-Za-z0-9_-]{1,64}$/,
  // The shortest limit among suppliers. Most accept more.
  callId: /^[A-Za-z0-9_-]{1,40}$/,
  // The official service has custom tools, most compatible suppliers do not.
  hasCustomTools: false,
  hasNamespaces: false,
}

/** Official parameters first, then those of compatible suppliers. */
export const CHAT_PARAMETERS: ParameterRules = {
  strippable: new Set([
    'temperature',
    'top_p',
    'seed',
    'presence_penalty',
    'frequency_penalty',
    'logit_bias',
    'reasoning_effort',
    'verbosity',
    'parallel_tool_calls',
    'prediction',
    'modalities',
    'user',
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_options',
    'prompt_cache_retention',
    'service_tier',
    'store',
    'metadata',
    'stream_options',
    'stream_options.include_usage',
    'stream_options.include_obfuscation',
    'top_k',
    'min_p',
    'repetition_penalty',
    'thinking',
    'enable_thinking',
    'reasoning',
    'include_reasoning',
    'reasoning_format',
    'chat_template_kwargs',
  ]),
  respelled: { max_tokens: 'max_completion_tokens', max_completion_tokens: 'max_tokens' },
}
