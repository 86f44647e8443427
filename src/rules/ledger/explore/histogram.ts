/**
 * Counts of durations in buckets that grow by a factor of 10^(1/8), about a third. A percentile read from them is off by
 * less than one bucket, and the counts of any groups and periods can be added up.
 */
const PER_DECADE = 8
const FIRST_BOUND_MS = 10
const DECADES = 5

/** The last one also counts what is longer. */
export const BUCKETS = PER_DECADE * DECADES + 1

/** The longest duration in a bucket. */
export function boundOf(bucket: number): number {
  return FIRST_BOUND_MS * 10 ** (bucket / PER_DECADE)
}

export function bucketOf(ms: number): number {
  if (ms <= FIRST_BOUND_MS) return 0
  return Math.min(BUCKETS - 1, Math.ceil(PER_DECADE * Math.log10(ms / FIRST_BOUND_MS)))
}

/** The duration that this share of all is at most; null without any. Within a bucket durations count as spread evenly. */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total <= 0) return null
  let before = 0
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && before + count >= share * total) {
      const lower = bucket === 0 ? 0 : boundOf(bucket - 1)
      return lower + (boundOf(bucket) - lower) * ((share * total - before) / count)
    }
    before += count
  }
  return boundOf(BUCKETS - 1)
}
