import { EFFORTS, type Effort, type ReasoningRequest } from '../../../conversation/effort.ts'
import type { ThinkingControl } from '../../../vocabulary/runtime/traits.ts'
import type { JsonObject } from '../../../wire/json-values.ts'

/** Suppliers reject smaller budgets. */
const MIN_BUDGET = 1024

const BUDGETS: Readonly<Record<Exclude<Effort, 'none' | 'max'>, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
}

interface ThinkingSituation {
  readonly control: ThinkingControl
  readonly maxTokens: number
  /** The model's output limit; null when unknown. */
  readonly outputTokenLimit: number | null
  /** True when suppliers would reject thinking in this request. */
  readonly isBarred: boolean
}

export interface EncodedThinking {
  readonly thinking: JsonObject | null
  readonly effort: Effort | null
  readonly maxTokens: number
  /** Whether this request turns thinking on. */
  readonly isOn: boolean
}

/** The client's reasoning settings in terms of the model; null members leave the model's default. */
export function encodeThinking(
  reasoning: ReasoningRequest | null,
  situation: ThinkingSituation,
): EncodedThinking {
  const nothing = { thinking: null, effort: null, maxTokens: situation.maxTokens, isOn: false }
  if (reasoning === null) return nothing
  const { control } = situation
  switch (control.type) {
    case 'none':
      return nothing
    case 'effort':
      return { ...nothing, effort: fitEffort(effortOf(reasoning), control.efforts) }
    case 'level':
      return { ...nothing, effort: fitEffort(effortOf(reasoning), control.levels) }
    case 'adaptive':
      return { ...nothing, ...thinkAdaptively(reasoning, control, situation.isBarred) }
    case 'budget':
      return situation.isBarred ? nothing : { ...nothing, ...thinkByBudget(reasoning, control, situation) }
  }
}

type Adaptive = Extract<ThinkingControl, { type: 'adaptive' }>
type Budgeted = Extract<ThinkingControl, { type: 'budget' }>

function thinkAdaptively(
  reasoning: ReasoningRequest,
  { efforts, canDisable }: Adaptive,
  isBarred: boolean,
): Partial<EncodedThinking> {
  const effort = effortOf(reasoning)
  const off = { thinking: canDisable ? { type: 'disabled' } : null }
  if (effort === 'none') return off
  const fitted = fitEffort(effort, efforts)
  if (isBarred) return { ...off, effort: fitted }
  const isUnwanted = reasoning.control.type === 'unspecified' && reasoning.showThoughts !== true
  if (isUnwanted) return {}
  return { thinking: { type: 'adaptive', ...display(reasoning) }, effort: fitted, isOn: true }
}

/** The effort that matches the request; null when the model decides. */
function effortOf({ control }: ReasoningRequest): Effort | null {
  switch (control.type) {
    case 'effort':
      return control.effort
    case 'budget':
      return effortOfBudget(control.tokens)
    case 'adaptive':
    case 'unspecified':
      return null
  }
}

function effortOfBudget(tokens: number): Effort {
  if (tokens === 0) return 'none'
  if (tokens <= BUDGETS.low) return 'low'
  if (tokens <= BUDGETS.medium) return 'medium'
  return tokens <= BUDGETS.high ? 'high' : 'xhigh'
}

/** The highest effort the model has that is not above the requested one, else its lowest. */
function fitEffort(effort: Effort | null, taken: readonly Effort[]): Effort | null {
  if (effort === null) return null
  const place = EFFORTS.indexOf(effort)
  const known = EFFORTS.filter((each) => taken.includes(each) && (each !== 'none' || effort === 'none'))
  return known.findLast((each) => EFFORTS.indexOf(each) <= place) ?? known[0] ?? null
}

function thinkByBudget(
  reasoning: ReasoningRequest,
  { least, most }: Budgeted,
  { maxTokens, outputTokenLimit }: ThinkingSituation,
): Partial<EncodedThinking> {
  const asked = budgetOf(reasoning, most)
  if (asked === 0) return {}
  const smallest = Math.max(least, MIN_BUDGET)
  const fitted = makeRoom(Math.min(Math.max(asked, smallest), most), {
    maxTokens,
    limit: outputTokenLimit ?? Number.MAX_SAFE_INTEGER,
    smallest,
  })
  if (fitted === null) return {}
  const thinking = { type: 'enabled', budget_tokens: fitted.budget, ...display(reasoning) }
  return { thinking, maxTokens: fitted.maxTokens, isOn: true }
}

function budgetOf({ control, showThoughts }: ReasoningRequest, most: number): number {
  switch (control.type) {
    case 'budget':
      return control.tokens
    case 'adaptive':
      return BUDGETS.medium
    case 'unspecified':
      return showThoughts === true ? BUDGETS.medium : 0
    case 'effort':
      if (control.effort === 'none') return 0
      return control.effort === 'max' ? most : BUDGETS[control.effort]
  }
}

interface Room {
  readonly maxTokens: number
  readonly limit: number
  readonly smallest: number
}

/**
 * Thinking counts towards max_tokens and must stay below it. When the budget does not fit, max_tokens is raised by the
 * budget as far as the model allows, and then the budget is cut.
 */
function makeRoom(
  budget: number,
  { maxTokens, limit, smallest }: Room,
): { readonly budget: number; readonly maxTokens: number } | null {
  if (budget < maxTokens) return { budget, maxTokens }
  const raised = Math.max(maxTokens, Math.min(maxTokens + budget, limit))
  const left = Math.min(budget, Math.max(raised - maxTokens, smallest))
  return left < raised ? { budget: left, maxTokens: raised } : null
}

function display({ showThoughts }: ReasoningRequest): JsonObject {
  return showThoughts === null ? {} : { display: showThoughts ? 'summarized' : 'omitted' }
}
