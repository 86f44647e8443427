/**
 * Whether a candidate may be used.
 * - `closed`: it works.
 * - `open`: it failed again and again and is left alone for a while.
 * - `half-open`: its pause is over and one request may find out whether it works again.
 */
export type Circuit = 'closed' | 'open' | 'half-open'

/** How one route with one credential has been doing lately. */
export interface Standing {
  readonly circuit: Circuit
  /** When an open circuit lets a request through again, as the clock on the wall stands now; null while closed. */
  readonly opensAgainAtMs: number | null
  /** Until when the supplier asked to be left alone; null when it did not. */
  readonly coolingUntilMs: number | null
  /** Recent time to the first byte; null before the first answer. */
  readonly latencyMs: number | null
  /** Recent share of answers among attempts, 0 to 1. */
  readonly successRate: number
  /** What the supplier said is left for this credential; null when it did not say. */
  readonly supplierRemaining: { readonly requests: number | null; readonly tokens: number | null } | null
}
