import type { Answer } from '../../conversation/answer.ts'
import type { Conversation } from '../../conversation/conversation.ts'
import type { AdmissionRecord, Attempt, Settlement } from '../../vocabulary/settlement.ts'
import type { Format, Route, Supplier } from '../../vocabulary/supply.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'
import type { TraceHeaders } from './supplier-call.ts'

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
}

/** The span of one call to a supplier. */
export interface AttemptSpan {
  readonly spanId: string
  /** What the supplier is sent, so that it can continue the trace; null for nothing. */
  readonly headers: TraceHeaders | null
}

/** A route, as far as telemetry names it. */
export interface ObservedRoute {
  readonly supplier: Supplier
  readonly route: Route
}

/** What a sampled request asked for and was answered; each is null when it cannot be read. */
export interface ReadContent {
  readonly conversation: Conversation | null
  readonly answer: Answer | null
}

/** A request to a model that has ended. */
export interface SettledRequest {
  readonly settlement: Settlement
  readonly admission: AdmissionRecord
  readonly trace: RequestTrace | null
  /** The route that served it; null when none did. */
  readonly served: ObservedRoute | null
  /** All routes that could have served it. */
  readonly routes: readonly ObservedRoute[]
  readonly choices: number
  readonly maxOutputTokens: number | null
  /** Whether the account stores its request and response bodies. */
  readonly storesBodies: boolean
  /** Decodes the request and its answer. Only for sampled requests, after they were answered. */
  read(): ReadContent
}

/** A request to this gateway that has been answered. */
export interface AnsweredRequest {
  readonly requestId: string
  readonly trace: RequestTrace
  readonly method: string
  /** The path of the endpoint, such as `/v1/models/:id`; null when there is none. */
  readonly route: string | null
  readonly status: number
  readonly errorCode: string | null
  readonly accountId: string | null
  readonly keyId: string | null
  readonly startedAtMs: number
  readonly durationMs: number
}

/** Which stream the times between chunks belong to. */
export interface ObservedStream extends ObservedRoute {
  readonly model: string
  readonly clientFormat: Format
}

export interface ChunkTimes {
  /** The time since the chunk before. */
  add(gapMs: number): void
}

/** Reports requests to tracing and metrics. Nothing here waits, and nothing here throws. */
export interface RequestObserver {
  /** Continues the trace that a client names, or begins one; null when requests are not traced. */
  begin(headers: HeaderFields): RequestTrace | null
  beginAttempt(trace: RequestTrace): AttemptSpan
  noteSettled(request: SettledRequest): void
  noteAnswered(request: AnsweredRequest): void
  /** null when they are not measured. */
  openChunkTimes(stream: ObservedStream): ChunkTimes | null
}
