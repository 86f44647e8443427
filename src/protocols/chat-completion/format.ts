import { DEFAULT_TRAITS, type Traits } from '../../vocabulary/runtime/traits.ts'
import type { ToolRules } from '../translation.ts'

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
