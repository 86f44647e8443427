/** The middle of some numbers; 0 when there are none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The average of ratios, in which one that is half as large and one that is twice as large cancel out. */
export function geometricMean(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)
}

/** The smallest value that at least this share of the values does not exceed. */
export function quantile(values: readonly number[] | Float64Array, share: number): number {
  const sorted = Float64Array.from(values).sort()
  const index = Math.ceil(share * sorted.length) - 1
  return sorted[Math.max(0, index)] ?? 0
}

/**
 * Between which two of the values their true middle lies, 19 times of 20, whatever their distribution is: as many
 * values lie below the middle as heads fall among that many coins.
 */
export function middleInterval(values: readonly number[]): { readonly low: number; readonly high: number } {
  const sorted = [...values].sort((one, other) => one - other)
  const distance = 0.98 * Math.sqrt(sorted.length)
  const lowest = Math.max(0, Math.floor(sorted.length / 2 - distance))
  const low = sorted[lowest] ?? 0
  return { low, high: sorted[sorted.length - 1 - lowest] ?? 0 }
}
