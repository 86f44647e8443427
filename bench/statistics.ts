/** The middle of some numbers; 0 when there are none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The smallest value that at least this share of the values does not exceed. */
export function quantile(values: readonly number[] | Float64Array, share: number): number {
  const sorted = Float64Array.from(values).sort()
  const index = Math.ceil(share * sorted.length) - 1
  return sorted[Math.max(0, index)] ?? 0
}
