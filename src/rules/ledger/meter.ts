import { NO_USAGE, type Usage, type UsageProvenance } from '../../conversation/usage.ts'
import type { Outcome } from '../../vocabulary/settlement.ts'

/** What is known of a request when it ends. */
export interface Ending {
  readonly outcome: Outcome
  /** Whether any of the answer reached the client. */
  readonly hasDelivered: boolean
  /** What the supplier said it used, as far as it said so. */
  readonly reported: Usage | null
  /** Our own count of what was delivered. */
  readonly countedOutputTokens: number
  /** The estimate made at arrival. */
  readonly estimatedPromptTokens: number
  /** Pictures delivered; absent when words were asked for. */
  readonly countedImages?: number | undefined
}

export interface Metering {
  readonly usage: Usage
  readonly provenance: UsageProvenance
}

// More than any request can use. A supplier that reports more is broken, and its price might fit no column.
const MOST_TOKENS = 2_000_000_000

/** What to charge for, by who ended the request, what was delivered and what the supplier reported. */
export function meter(ending: Ending): Metering {
  if (!ending.hasDelivered) return { usage: NO_USAGE, provenance: 'estimated' }
  const { reported } = ending
  if (reported === null || !isPossible(reported)) {
    return { usage: countedUsage(ending), provenance: 'counted' }
  }
  if (ending.outcome === 'completed' || reported.output >= ending.countedOutputTokens) {
    return { usage: reported, provenance: 'supplier' }
  }
  // Cut short, the report may be from before the last words: never charge less than was delivered.
  return { usage: { ...reported, output: ending.countedOutputTokens }, provenance: 'counted' }
}

function isPossible(usage: Usage): boolean {
  return (
    usage.input <= MOST_TOKENS &&
    usage.cacheRead <= MOST_TOKENS &&
    usage.cacheWrite <= MOST_TOKENS &&
    usage.output <= MOST_TOKENS
  )
}

/** Pictures are what is counted of an answer that is pictures: what drawing them took, only the supplier knows. */
function countedUsage(ending: Ending): Usage {
  if (ending.countedImages !== undefined) return { ...NO_USAGE, images: ending.countedImages }
  return { ...NO_USAGE, input: ending.estimatedPromptTokens, output: ending.countedOutputTokens }
}
