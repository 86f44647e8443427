import type { HttpAnswer } from '../../wire/http-answer.ts'
import type { PiecedBody, TextPieces } from '../../wire/pieced-body.ts'

/** Ends the call. Returns whether the supplier had the whole request, as far as that is known. */
export type AbortCall = () => boolean

/** How long the caller waits. */
export interface CallPatience {
  /** `abort` is called at the end of the patience, or at once after it. */
  onAbort(abort: AbortCall): void
  /** The same as a signal, which costs more. */
  readonly signal: AbortSignal
}

/** The trace that a call belongs to, which differs from call to call. */
export interface TraceHeaders {
  readonly traceparent: string
  readonly tracestate?: string
}

export interface SupplierCall {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Null or absent when the supplier is told no trace. */
  readonly trace?: TraceHeaders | null
  readonly body: string | TextPieces | PiecedBody
  /** How long a new connection may take. */
  readonly connectMs: number
  readonly patience: CallPatience
  /** Connections are never shared between two credentials. */
  readonly credentialId: string
}

/** Sends one request to a supplier. Resolves with its status and headers; rejects when it cannot be reached. */
export type CallSupplier = (call: SupplierCall) => Promise<HttpAnswer>
