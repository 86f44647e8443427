import type { ErrorCode } from './codes.ts'

/**
 * Why a supplier did not answer, in our words.
 * - `input`: it refused what the client sent; trying elsewhere would not help.
 * - `context-length`: the prompt does not fit the model.
 * - `rate-limited`, `overloaded`, `server`, `timeout`, `unreachable`: another candidate may do better.
 * - `credential`: it refused our own credential, which is never the client's fault.
 * - `denied`: it refused without saying that our credential is at fault. The client may have asked for what is not
 *   there, or our account may not do this; the same request with another credential of this supplier would not help.
 * - `local`: this machine has run out of file descriptors or ports, so the supplier was never asked.
 * - `malformed`: it answered something that is not an answer in its format.
 */
export const FAILURE_KINDS = [
  'input',
  'context-length',
  'rate-limited',
  'overloaded',
  'server',
  'timeout',
  'unreachable',
  'credential',
  'denied',
  'local',
  'malformed',
] as const
export type FailureKind = (typeof FAILURE_KINDS)[number]

const CODES: Partial<Record<FailureKind, ErrorCode>> = {
  input: 'invalid_request',
  'context-length': 'context_length_exceeded',
  'rate-limited': 'supplier_rate_limited',
  overloaded: 'provider_overloaded',
  timeout: 'provider_timeout',
  local: 'temporarily_unavailable',
}

/** The code of the error that the client of a failed attempt gets. */
export function failureCode({ kind, status }: Pick<SupplierFailure, 'kind' | 'status'>): ErrorCode {
  // A 404 is about a model or a path in our configuration.
  if (status === 404) return 'provider_error'
  if (kind === 'input' && status === 413) return 'request_too_large'
  return CODES[kind] ?? 'provider_error'
}

/**
 * How far the refusal of a parameter goes: whatever it says, only the value it had, or only beside what else stood in
 * this request.
 */
export type RefusalScope = 'parameter' | 'value' | 'request'

export interface SupplierFailure {
  readonly kind: FailureKind
  /** HTTP status, null when none was received. */
  readonly status: number | null
  /**
   * With `credential`: only its words, or a status that the request itself can bring about, say so. A client may have
   * put the words there, so nothing follows from them before they are verified.
   */
  readonly isSuspected?: true
  /** With `timeout`: how long it was waited for, when that was less than usual because it had not answered others. */
  readonly shortenedWaitMs?: number
  /** The supplier's own words. Shown to clients only for `input` and `context-length`. */
  readonly message: string
  /** The request field the supplier complained about, when it said so. */
  readonly param: string | null
  /** The parameter it said it does not take, as a path; absent when it said no such thing. */
  readonly refusedParam?: string
  readonly refusedScope?: RefusalScope
  /** Its own name for the cause, for formats whose clients branch on it. */
  readonly cause?: string
  readonly retryAfterSeconds: number | null
}
