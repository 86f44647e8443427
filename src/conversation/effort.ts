export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

/** How much a model should think. Formats express it as an effort, as a token budget, or leave it to the model. */
export interface ReasoningRequest {
  readonly control:
    | { readonly type: 'effort'; readonly effort: Effort }
    /** Tokens to think with; 0 switches thinking off. */
    | { readonly type: 'budget'; readonly tokens: number }
    /** The model decides. */
    | { readonly type: 'adaptive' }
    /** The client set only whether to show thoughts. */
    | { readonly type: 'unspecified' }
  /** Whether to show the thinking text; null when the client did not specify it. */
  readonly showThoughts: boolean | null
}

/** The largest budget of each effort, in rising order. */
const BUDGETS: readonly (readonly [maxTokens: number, effort: Effort])[] = [
  [0, 'none'],
  [1024, 'low'],
  [8192, 'medium'],
  [24_576, 'high'],
]

/** The requested effort, also from a token budget; null when the model decides. */
export function effortOf({ control }: ReasoningRequest): Effort | null {
  switch (control.type) {
    case 'effort':
      return control.effort
    case 'budget':
      return BUDGETS.find(([maxTokens]) => control.tokens <= maxTokens)?.[1] ?? 'xhigh'
    case 'adaptive':
    case 'unspecified':
      return null
  }
}

/**
 * The effort nearest to the wanted one among those a model supports, the lower one of two equally near; null when it
 * supports none. `none` is chosen only when the client requested it.
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
