import { DEFAULT_TRAITS, type Traits } from '../../vocabulary/runtime/traits.ts'
import type { ToolRules } from '../translation.ts'

export const FORMAT = 'chat-completion'

/** Begins the kind of an opaque part that is a call, not content. */
export const OPAQUE_CALL = 'tool_calls.'

/** Tool messages are text only, and system messages may stand anywhere. */
export const CHAT_TRAITS: Traits = { ...DEFAULT_TRAITS, toolResultImages: false, inlineSystem: true }

export const CHAT_TOOL_RULES: ToolRules = {
  name: /^[A-Za-z0-9_-]{1,64}$/,
  // The shortest limit seen among suppliers; most take more.
  callId: /^[A-Za-z0-9_-]{1,40}$/,
  // The official service has them, most of those that speak its format do not.
  hasCustomTools: false,
  hasNamespaces: false,
}
