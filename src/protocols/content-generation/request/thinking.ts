import Type, { type Static } from 'typebox'
import { EFFORTS, type Effort, type ReasoningRequest } from '../../../conversation/effort.ts'
import type { ThinkingControl } from '../../../vocabulary/runtime/traits.ts'
import { optionalOrNull } from '../../parameter-table.ts'
import { MAX_TOKENS } from '../../request-limits.ts'

export const ThinkingSchema = Type.Object({
  includeThoughts: optionalOrNull(Type.Boolean()),
  // -1: the model decides.
  thinkingBudget: optionalOrNull(Type.Integer({ minimum: -1, maximum: MAX_TOKENS })),
  thinkingLevel: optionalOrNull(Type.String()),
})
type WireThinkingConfig = Static<typeof ThinkingSchema>

/** Token budgets of the efforts, before the model's bounds are applied. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: Number.MAX_SAFE_INTEGER,
}
const MODEL_DECIDES = -1

export function decodeThinking(config: WireThinkingConfig | null | undefined): ReasoningRequest | null {
  if (!config) return null
  const showThoughts = config.includeThoughts ?? null
  const control = decodeControl(config)
  return control.type === 'unspecified' && showThoughts === null ? null : { control, showThoughts }
}

function decodeControl({ thinkingBudget, thinkingLevel }: WireThinkingConfig): ReasoningRequest['control'] {
  if (thinkingBudget === MODEL_DECIDES) return { type: 'adaptive' }
  if (thinkingBudget !== null && thinkingBudget !== undefined)
    return { type: 'budget', tokens: thinkingBudget }
  const effort = EFFORTS.find((each) => each === thinkingLevel?.toLowerCase())
  return effort === undefined ? { type: 'unspecified' } : { type: 'effort', effort }
}

/** The thinking settings for the model; null when it has none. */
export function encodeThinking(
  { control, showThoughts }: ReasoningRequest,
  thinking: ThinkingControl,
): WireThinkingConfig | null {
  if (thinking.type === 'none') return null
  return {
    ...(showThoughts !== null && { includeThoughts: showThoughts }),
    ...(thinking.type === 'budget' ? encodeBudget(control, thinking) : encodeLevel(control, thinking)),
  }
}

type BudgetThinking = ThinkingControl & { type: 'budget' }
type NamedThinking = Exclude<ThinkingControl, { type: 'none' | 'budget' }>

function encodeBudget(control: ReasoningRequest['control'], bounds: BudgetThinking): WireThinkingConfig {
  switch (control.type) {
    case 'adaptive':
      return { thinkingBudget: MODEL_DECIDES }
    case 'unspecified':
      return {}
    case 'effort':
      return { thinkingBudget: clampBudget(BUDGETS[control.effort], bounds) }
    case 'budget':
      return { thinkingBudget: clampBudget(control.tokens, bounds) }
  }
}

function clampBudget(tokens: number, { least, most, canDisable }: BudgetThinking): number {
  if (tokens === 0 && canDisable) return 0
  return Math.min(most, Math.max(least, tokens))
}

function encodeLevel(control: ReasoningRequest['control'], thinking: NamedThinking): WireThinkingConfig {
  if (control.type === 'adaptive' || control.type === 'unspecified') return {}
  const wanted = control.type === 'effort' ? control.effort : effortFor(control.tokens)
  const level = nearestLevel(wanted, thinking.type === 'level' ? thinking.levels : thinking.efforts)
  return level === null ? {} : { thinkingLevel: level.toUpperCase() }
}

function effortFor(tokens: number): Effort {
  if (tokens === 0) return 'none'
  return (
    EFFORTS.find((effort) => effort !== 'none' && effort !== 'minimal' && tokens <= BUDGETS[effort]) ?? 'max'
  )
}

/** The lowest level that is not below the wanted effort, else the highest. */
function nearestLevel(wanted: Effort, levels: readonly Effort[]): Effort | null {
  const rank = (effort: Effort) => EFFORTS.indexOf(effort)
  const usable = levels.filter((level) => level !== 'none').sort((one, other) => rank(one) - rank(other))
  return usable.find((level) => rank(level) >= rank(wanted)) ?? usable.at(-1) ?? null
}
