import type { Attempt } from '../../vocabulary/settlement.ts'

/** The trace that a request belongs to. */
export interface RequestTrace {
  readonly traceId: string
  /** The span of the request at this gateway. */
  readonly spanId: string
  /** The span of the client that sent the request; null when the client named none. */
  readonly parentSpanId: string | null
  /** What other tracing systems keep in the trace, as the client sent it. */
  readonly state: string | null
  /** What is recorded for its spans; null when this trace is not sampled. */
  readonly recording: TraceRecording | null
}

/** Filled while a sampled request is served. */
export interface TraceRecording {
  readonly attempts: { readonly spanId: string; readonly record: Attempt }[]
  /** The beginning of the answer, as the client gets it. */
  answer: string
  isAnswerCut: boolean
  /** The same answer as an object, when it was read as one anyway. */
  reply?: unknown
}
