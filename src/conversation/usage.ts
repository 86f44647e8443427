/**
 * What one request used, in disjoint buckets: a token is counted in exactly one of `input`, `cacheRead`,
 * `cacheWrite` and `output`. Wire formats disagree on whether cached tokens are part of the prompt count;
 * each protocol resolves this when it reads usage, so that no token is counted twice.
 */
export interface Usage {
  /** Prompt tokens that were not cached. */
  readonly input: number
  /** Prompt tokens served from the supplier's cache. */
  readonly cacheRead: number
  /** Prompt tokens written to the supplier's cache. */
  readonly cacheWrite: number
  /** All generated tokens, thinking included. */
  readonly output: number
  /** The thinking tokens, which are part of `output`. */
  readonly reasoning: number
  /** Images generated. */
  readonly images: number
}

export const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, images: 0 }

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
    images: one.images + other.images,
  }
}

/** The source of the figures: the supplier's report, our count of what was delivered, or the estimate at arrival. */
export const USAGE_PROVENANCES = ['supplier', 'counted', 'estimated'] as const
export type UsageProvenance = (typeof USAGE_PROVENANCES)[number]
