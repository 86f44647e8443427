import type { ErrorCode } from '../../errors/codes.ts'
import { FAILURE_KINDS, type FailureKind, failureCode } from '../../errors/supplier-failure.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'

type Failed = Pick<Settlement, 'outcome' | 'attempts'>

/** The error of the last attempt; null when the request did not end with it. */
export function errorCodeOf({ outcome, attempts }: Failed): ErrorCode | null {
  if (outcome === 'completed' || outcome === 'client_left') return null
  const last = attempts.at(-1)
  if (last === undefined || last.failure === null) return null
  const { failure, status } = last
  const kind = FAILURE_KINDS.find((each) => failure === each || failure.startsWith(`${each}:`))
  return kind === undefined ? null : failureCode({ kind, status })
}

// Every status that changes the code of a failure.
const STATUSES = [null, 404, 413]

/** The kinds of failures that may have led to a code. */
export function failuresOf(code: ErrorCode): readonly FailureKind[] {
  return FAILURE_KINDS.filter((kind) => STATUSES.some((status) => failureCode({ kind, status }) === code))
}
