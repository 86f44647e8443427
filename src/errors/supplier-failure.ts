/**
 * Why a supplier did not answer, in our words.
 * - `input`: it refused what the client sent; trying elsewhere would not help.
 * - `context-length`: the prompt does not fit the model.
 * - `rate-limited`, `overloaded`, `server`, `timeout`, `unreachable`: another candidate may do better.
 * - `credential`: it refused our own credential, which is never the client's fault.
 * - `malformed`: it answered something that is not an answer in its format.
 */
export type FailureKind =
  | 'input'
  | 'context-length'
  | 'rate-limited'
  | 'overloaded'
  | 'server'
  | 'timeout'
  | 'unreachable'
  | 'credential'
  | 'malformed'

/**
 * How far the refusal of a parameter goes: whatever it says, only the value it had, or only beside what else stood in
 * this request.
 */
export type RefusalScope = 'parameter' | 'value' | 'request'

export interface SupplierFailure {
  readonly kind: FailureKind
  /** HTTP status, null when none was received. */
  readonly status: number | null
  /** The supplier's own words. Shown to clients only for `input` and `context-length`. */
  readonly message: string
  /** The request field the supplier complained about, when it said so. */
  readonly param: string | null
  /** The parameter it said it does not take, as a path; absent when it said no such thing. */
  readonly refusedParam?: string
  readonly refusedScope?: RefusalScope
  readonly retryAfterSeconds: number | null
}
