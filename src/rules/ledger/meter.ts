import { NO_USAGE, type Usage, type UsageProvenance } from '../../conversation/usage.ts'
import type { Outcome } from '../../vocabulary/settlement.ts'

/** What is known about a request when it ends. */
export interface RequestEnd {
  readonly outcome: Outcome
  /** Whether any of the answer reached the client. */
  readonly hasDelivered: boolean
  /** The usage that the supplier reported. */
  readonly reported: Usage | null
  /** Our own count of what was delivered. */
  readonly countedOutputTokens: number
  /** The estimate made at arrival. */
  readonly estimatedPromptTokens: number
  /** Images delivered; absent for text requests. */
  readonly countedImages?: number | undefined
}

export interface Metering {
  readonly usage: Usage
  readonly provenance: UsageProvenance
}

// More than any request can use. Larger reports are wrong, and their price could overflow the column.
const MAX_TOKENS = 2_000_000_000

/** Decides which usage to charge, from the outcome, what was delivered and what the supplier reported. */
export function meter(ending: RequestEnd): Metering {
  if (!ending.hasDelivered) return { usage: NO_USAGE, provenance: 'estimated' }
  const { reported } = ending
  if (reported === null || !isPossible(reported)) {
    return { usage: countedUsage(ending), provenance: 'counted' }
  }
  if (ending.outcome === 'completed' || reported.output >= ending.countedOutputTokens) {
    return { usage: reported, provenance: 'supplier' }
  }
  // The report of an interrupted answer may be outdated; charge at least what was delivered.
  return { usage: { ...reported, output: ending.countedOutputTokens }, provenance: 'counted' }
}

function isPossible(usage: Usage): boolean {
  return (
    usage.input <= MAX_TOKENS &&
    usage.cacheRead <= MAX_TOKENS &&
    usage.cacheWrite <= MAX_TOKENS &&
    usage.output <= MAX_TOKENS
  )
}

/** Image answers are counted in images, because only the supplier knows how many tokens they took. */
function countedUsage(ending: RequestEnd): Usage {
  if (ending.countedImages !== undefined) return { ...NO_USAGE, images: ending.countedImages }
  return { ...NO_USAGE, input: ending.estimatedPromptTokens, output: ending.countedOutputTokens }
}
