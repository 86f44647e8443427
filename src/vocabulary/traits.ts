import { EFFORTS, type Effort } from '../conversation/conversation.ts'

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

/**
 * The traits with what is known of a particular model put over them. Operators write that down by hand; anything that
 * is no value of its trait is ignored.
 */
export function fitTraits(base: Traits, known: Readonly<Record<string, unknown>>): Traits {
  const fitting = Object.entries(known).filter(
    ([name, value]) => Object.hasOwn(CHECKS, name) && CHECKS[name as keyof Traits](value),
  )
  return fitting.length === 0 ? base : { ...base, ...Object.fromEntries(fitting) }
}

type Check = (value: unknown) => boolean

const isFlag: Check = (value) => typeof value === 'boolean'
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.some((each) => each === value)

const CHECKS: Readonly<Record<keyof Traits, Check>> = {
  thinking: isThinkingControl,
  vision: isFlag,
  urlImages: isFlag,
  toolResultImages: isFlag,
  structured: oneOf('none', 'json', 'schema'),
  sampling: oneOf('ok', 'rejected', 'only-without-thinking'),
  isTemperatureOrTopP: isFlag,
  stop: isFlag,
  penalties: isFlag,
  logprobs: isFlag,
  maxChoices: (value) => isCount(value) && value !== 0,
  prefill: isFlag,
  inlineSystem: isFlag,
  developerRole: isFlag,
  maxTokensField: oneOf('max_tokens', 'max_completion_tokens'),
  needsReasoningContent: isFlag,
  cacheBreakpoints: isFlag,
}

function isThinkingControl(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const control: Partial<Record<string, unknown>> = { ...value }
  switch (control.type) {
    case 'none':
      return true
    case 'effort':
      return isEfforts(control.efforts)
    case 'budget':
      return isCount(control.least) && isCount(control.most) && isFlag(control.canDisable)
    case 'adaptive':
      return isEfforts(control.efforts) && isFlag(control.canDisable)
    case 'level':
      return isEfforts(control.levels)
    default:
      return false
  }
}

function isEfforts(value: unknown): boolean {
  return Array.isArray(value) && value.every(oneOf(...EFFORTS))
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
