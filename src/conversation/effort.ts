export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

/** How much a model should think, in whichever of the three ways the client said it. */
export interface ReasoningRequest {
  readonly control:
    | { readonly type: 'effort'; readonly effort: Effort }
    /** Tokens to think with; 0 switches thinking off. */
    | { readonly type: 'budget'; readonly tokens: number }
    /** The model decides. */
    | { readonly type: 'adaptive' }
    /** The client said only whether it wants to see thoughts. */
    | { readonly type: 'unsaid' }
  /** Whether the thinking text is to be shown, null when the client did not say. */
  readonly showThoughts: boolean | null
}

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
