import type { Effort } from '../conversation/conversation.ts'

/** How a model's thinking is controlled on the wire. */
export type ThinkingControl =
  | { readonly type: 'none' }
  /** A named effort; `efforts` are the ones it takes. */
  | { readonly type: 'effort'; readonly efforts: readonly Effort[] }
  /** A number of tokens. */
  | { readonly type: 'budget'; readonly least: number; readonly most: number; readonly canDisable: boolean }
  /** The model decides, guided by an effort. */
  | { readonly type: 'adaptive'; readonly efforts: readonly Effort[]; readonly canDisable: boolean }
  /** A named level that cannot be switched off. */
  | { readonly type: 'level'; readonly levels: readonly Effort[] }

/** What a model takes and what it refuses, so that a translated request fits it. */
export interface Traits {
  readonly thinking: ThinkingControl
  readonly vision: boolean
  /** Pictures by address; false: it needs the bytes. */
  readonly urlImages: boolean
  readonly toolResultImages: boolean
  readonly structured: 'none' | 'json' | 'schema'
  /** `rejected`: temperature and its like are refused. */
  readonly sampling: 'ok' | 'rejected' | 'only-without-thinking'
  readonly isTemperatureOrTopP: boolean
  readonly stop: boolean
  readonly penalties: boolean
  readonly logprobs: boolean
  readonly maxChoices: number
  /** The last turn may be the assistant's, to be continued. */
  readonly prefill: boolean
  /** System text may stand between turns. */
  readonly inlineSystem: boolean
  readonly developerRole: boolean
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** Wants its own thinking text back with tool results, in `reasoning_content`. */
  readonly needsReasoningContent: boolean
  readonly cacheBreakpoints: boolean
}

export const DEFAULT_TRAITS: Traits = {
  thinking: { type: 'effort', efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] },
  vision: true,
  urlImages: true,
  toolResultImages: true,
  structured: 'schema',
  sampling: 'ok',
  isTemperatureOrTopP: false,
  stop: true,
  penalties: true,
  logprobs: true,
  maxChoices: 128,
  prefill: false,
  inlineSystem: false,
  developerRole: false,
  maxTokensField: 'max_completion_tokens',
  needsReasoningContent: false,
  cacheBreakpoints: false,
}

/** The traits with what is known of a particular model put over them; anything of another kind is ignored. */
export function fitTraits(base: Traits, known: Readonly<Record<string, unknown>>): Traits {
  const fitting = Object.entries(known).filter(
    ([name, value]) => name in base && typeof value === typeof base[name as keyof Traits],
  )
  return fitting.length === 0 ? base : { ...base, ...Object.fromEntries(fitting) }
}
