import { NO_USAGE, type Usage, type UsageDetails } from '../../conversation/usage.ts'
import type { AbortPolicy } from '../../vocabulary/supply.ts'

/** What is known of a call to a supplier when the client left before the first byte. */
export interface AbandonedCall {
  readonly policy: AbortPolicy
  /** How many times the supplier has received the request as a whole: more than once when it is asked for each choice. */
  readonly calls: number
  /** What the supplier had reported by then; null when nothing. */
  readonly reported: Usage | null
  readonly estimatedPromptTokens: number
  /** What else the supplier charges by; absent when it charges by tokens alone. */
  readonly units?: UsageDetails | undefined
  /** Our own count of a request that is charged by more than its text; then nothing is estimated. */
  readonly known?: Usage | undefined
}

/** What is owed for a call that was given up before its first byte; null when nothing is. */
export function owedForAbandoned(call: AbandonedCall): Usage | null {
  if (call.policy === 'free' || call.calls === 0) return null
  const { reported, calls, estimatedPromptTokens, units, known } = call
  const isReported = reported !== null && reported.input + reported.cacheRead + reported.cacheWrite > 0
  if (isReported) return { ...reported, output: 0, reasoning: 0, images: 0 }
  if (known !== undefined) return known
  return { ...NO_USAGE, input: estimatedPromptTokens * calls, ...(units && { details: units }) }
}
