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
  /** What is priced apart by some suppliers; absent when there is nothing of it. */
  readonly details?: UsageDetails | undefined
}

/** Parts of the other counts that some suppliers price apart, and what else a price may depend on. */
export interface UsageDetails {
  /** Parts of `cacheWrite` by lifetime; the rest is kept for five minutes or however long the supplier likes. */
  readonly cacheWrite30m?: number | undefined
  readonly cacheWrite1h?: number | undefined
  readonly cacheWrite12h?: number | undefined
  /** Parts of `input`. */
  readonly audioInput?: number | undefined
  readonly imageInput?: number | undefined
  /** Parts of `cacheRead`. */
  readonly audioCacheRead?: number | undefined
  readonly imageCacheRead?: number | undefined
  /** Parts of `output`, apart from `reasoning`. */
  readonly audioOutput?: number | undefined
  readonly imageOutput?: number | undefined
  /** Calls of tools that ran at the supplier. */
  readonly webSearches?: number | undefined
  readonly codeExecutions?: number | undefined
  /** What rerank suppliers count: a query with up to a number of documents that they choose. */
  readonly searchUnits?: number | undefined
  /** The length of the audio that was read. */
  readonly audioMs?: number | undefined
  /** Characters of the text that was spoken. */
  readonly characters?: number | undefined
  /** The service tier that served the request, when it is not the standard one. */
  readonly serviceTier?: string | undefined
  /** Of all generated images. */
  readonly imageSize?: string | undefined
  readonly imageQuality?: string | undefined
  /** The counts contradict each other, such as more cached tokens than prompt tokens, or the request. */
  readonly isContradictory?: true | undefined
}

export const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, images: 0 }

export function addUsage(one: Usage, other: Usage): Usage {
  const details = addDetails(one.details, other.details)
  return {
    input: one.input + other.input,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
    images: one.images + other.images,
    ...(details !== undefined && { details }),
  }
}

/** Counts are added up. Of words, such as the service tier, the last one stays. */
function addDetails(
  one: UsageDetails | undefined,
  other: UsageDetails | undefined,
): UsageDetails | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const sum: Record<string, unknown> = { ...one }
  for (const [name, value] of Object.entries(other)) {
    const before = sum[name]
    sum[name] = typeof value === 'number' && typeof before === 'number' ? before + value : value
  }
  return sum
}

/** The source of the figures: the supplier's report, our count of what was delivered, or the estimate at arrival. */
export const USAGE_PROVENANCES = ['supplier', 'counted', 'estimated'] as const
export type UsageProvenance = (typeof USAGE_PROVENANCES)[number]
