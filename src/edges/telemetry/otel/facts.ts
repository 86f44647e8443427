import type { Usage } from '../../../conversation/usage.ts'
import type { Attempt, Settlement } from '../../../vocabulary/settlement.ts'

/** The conventions count cached tokens as input; the classes of a settlement are disjoint. */
export function inputTokensOf({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite
}

/** Null when the request went well; a client that leaves is not an error of anyone. */
export function errorTypeOf({ outcome, attempts }: Settlement): string | null {
  if (outcome === 'completed' || outcome === 'client_left') return null
  const last = attempts[attempts.length - 1]
  return (last === undefined ? null : attemptErrorOf(last)) ?? outcome
}

const KIND = /^[a-z-]{1,32}/

/** The status that the supplier answered with, else the kind of failure; null when the attempt did not fail. */
export function attemptErrorOf({ result, status, failure }: Attempt): string | null {
  if (result !== 'failed' && result !== 'refused') return null
  if (status !== null) return String(status)
  return KIND.exec(failure ?? '')?.[0] ?? result
}
