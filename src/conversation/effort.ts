import { EFFORTS, type Effort, type ReasoningRequest } from './conversation.ts'

/** The most tokens each effort stands for, in rising order. */
const BUDGETS: readonly (readonly [mostTokens: number, effort: Effort])[] = [
  [0, 'none'],
  [1024, 'low'],
  [8192, 'medium'],
  [24_576, 'high'],
]

/** The effort a client asked for, in whichever way it said so; null when the model is to decide. */
export function effortOf({ control }: ReasoningRequest): Effort | null {
  switch (control.type) {
    case 'effort':
      return control.effort
    case 'budget':
      return BUDGETS.find(([mostTokens]) => control.tokens <= mostTokens)?.[1] ?? 'xhigh'
    case 'adaptive':
    case 'unsaid':
      return null
  }
}

/**
 * The effort nearest to the wanted one among those a model takes, the lesser of two equally near; null when it takes
 * none. Thinking is switched off only when that was asked for.
 */
export function nearestEffort(wanted: Effort, taken: readonly Effort[]): Effort | null {
  const eligible = EFFORTS.filter(
    (effort) => taken.includes(effort) && (effort !== 'none' || wanted === 'none'),
  )
  const place = EFFORTS.indexOf(wanted)
  const distance = (effort: Effort) => Math.abs(EFFORTS.indexOf(effort) - place)
  return eligible.reduce<Effort | null>(
    (best, effort) => (best === null || distance(effort) < distance(best) ? effort : best),
    null,
  )
}
