import { EFFORTS, type Effort, type ReasoningRequest } from '../../conversation/conversation.ts'
import type { Traits } from '../../vocabulary/runtime/traits.ts'
import { asObject, type JsonObject } from '../../wire/json-values.ts'

/** The efforts that budgets stand for, by the most tokens of each. */
const EFFORTS_BY_BUDGET: readonly (readonly [number, Effort])[] = [
  [0, 'none'],
  [1024, 'low'],
  [8192, 'medium'],
  [24_576, 'high'],
  [Number.POSITIVE_INFINITY, 'xhigh'],
]

/** The effort to ask for; null when the model is to decide, or has none to set. */
export function effortFor(reasoning: ReasoningRequest | null, traits: Traits): Effort | null {
  const wanted = wantedEffort(reasoning)
  if (wanted === null) return null
  const efforts = effortsOf(traits)
  return efforts.length === 0 ? null : nearestEffort(wanted, efforts)
}

function wantedEffort(reasoning: ReasoningRequest | null): Effort | null {
  const control = reasoning?.control
  if (control?.type === 'effort') return control.effort
  if (control?.type !== 'budget') return null
  return EFFORTS_BY_BUDGET.find(([most]) => control.tokens <= most)?.[1] ?? null
}

function effortsOf({ thinking }: Traits): readonly Effort[] {
  switch (thinking.type) {
    case 'none':
      return []
    case 'effort':
    case 'adaptive':
      return thinking.efforts
    case 'level':
      return thinking.levels
    case 'budget':
      return EFFORTS
  }
}

/** The wanted effort, or the next lower one the model knows, or its lowest. */
function nearestEffort(wanted: Effort, efforts: readonly Effort[]): Effort | null {
  const rank = (effort: Effort) => EFFORTS.indexOf(effort)
  const known = [...efforts].sort((one, other) => rank(one) - rank(other))
  return known.findLast((effort) => rank(effort) <= rank(wanted)) ?? known[0] ?? null
}

export interface ReasoningOptions {
  readonly effort: Effort | null
  readonly traits: Traits
  /** What a client of this very format said beyond effort and summary. */
  readonly own: unknown
}

/** `reasoning` of a request; null when there is nothing to say. */
export function encodeReasoningRequest(
  reasoning: ReasoningRequest | null,
  { effort, traits, own }: ReasoningOptions,
): JsonObject | null {
  if (traits.thinking.type === 'none') return null
  const showsThoughts = reasoning?.showThoughts === true && effort !== 'none'
  const said = {
    ...(effort !== null && { effort }),
    ...(showsThoughts && { summary: 'auto' }),
    ...asObject(own),
  }
  return Object.keys(said).length === 0 ? null : said
}
