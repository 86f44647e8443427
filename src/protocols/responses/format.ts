import { DEFAULT_TRAITS, type Traits } from '../../vocabulary/runtime/traits.ts'
import type { ToolRules } from '../translation.ts'

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
