import type { Answer, AnswerEnding } from '../../conversation/answer.ts'
import type { Conversation, RequestSettings } from '../../conversation/conversation.ts'
import type { AdmissionRecord, Settlement } from '../../vocabulary/settlement.ts'
import type { Format, Route, Supplier } from '../../vocabulary/supply.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'
import type { RequestTrace, TraceRecording } from './request-trace.ts'
import type { TraceHeaders } from './supplier-call.ts'

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

/** A request to a model that has ended, as far as it is measured. */
export interface SettledRequest {
  readonly settlement: Settlement
  /** The route that served it; null when none did. */
  readonly served: ObservedRoute | null
  /** All routes that could have served it. */
  readonly routes: readonly ObservedRoute[]
}

/** A sampled request to a model that has ended. What it reads is null when it cannot be read. */
export interface TracedRequest extends SettledRequest {
  readonly admission: AdmissionRecord
  readonly trace: RequestTrace
  readonly recording: TraceRecording
  readonly choices: number
  readonly maxOutputTokens: number | null
  /** Whether the account stores its request and response bodies. */
  readonly storesBodies: boolean
  readSettings(): RequestSettings | null
  readConversation(): Conversation | null
  readAnswer(): Answer | null
  /** Takes less time than the whole answer. */
  readEnding(): AnswerEnding | null
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
  /** For sampled requests only, after `noteSettled`. */
  noteTraced(request: TracedRequest): void
  noteAnswered(request: AnsweredRequest): void
  /** null when they are not measured. */
  openChunkTimes(stream: ObservedStream): ChunkTimes | null
}

/** Counts one gap between two pieces of a stream, in whole milliseconds. Called for every piece, so it must be cheap. */
export type NoteGap = (gapMs: number) => void

/** Finds where the gaps of a stream are counted; called once per stream. */
export type ChunkGaps = (modelId: string, supplierId: string) => NoteGap
