import type {
  AnsweredRequest,
  AttemptSpan,
  ChunkTimes,
  ObservedStream,
  RequestObserver,
  SettledRequest,
  TracedRequest,
} from '../../../serve/ports/request-observer.ts'
import type { RequestTrace } from '../../../serve/ports/request-trace.ts'
import type { HeaderFields } from '../../../wire/http-answer.ts'
import type { MetricStore } from './metric-store.ts'
import type { SpanWriter } from './span-writer.ts'
import type { TraceContexts } from './trace-context.ts'

/** What is needed for spans. */
export interface Tracing {
  readonly contexts: TraceContexts
  readonly spans: SpanWriter
}

export interface ObserverParts {
  /** null when requests are not traced. */
  readonly tracing: Tracing | null
  /** null when requests are not measured. */
  readonly metrics: MetricStore | null
  onProblem(problem: unknown): void
}

// More requests than this end between two turns of the event loop only when it is overloaded; spans matter less then.
const MAX_WAITING = 1_000
// Spans are written for many requests at a time: their code has to be brought into the processor's caches each time, and
// what serves requests has to come back. With sixteen at a time, a request costs 5 % more.
const GATHER_MS = 200
const MANY = 200
// Decoding a request and its answer may take a millisecond, so other work gets its turn in between.
const TURN_MS = 4

/**
 * Takes what has happened. Metrics are counted at once; spans are written after the answer has left, and only those of
 * sampled requests.
 */
export class OtelObserver implements RequestObserver {
  readonly #parts: ObserverParts
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(parts: ObserverParts) {
    this.#parts = parts
  }

  begin(headers: HeaderFields): RequestTrace | null {
    return this.#parts.tracing?.contexts.begin(headers) ?? null
  }

  beginAttempt(trace: RequestTrace): AttemptSpan {
    return this.#parts.tracing?.contexts.beginAttempt(trace) ?? { spanId: '', headers: null }
  }

  noteSettled(request: SettledRequest): void {
    try {
      this.#parts.metrics?.noteSettled(request)
    } catch (problem) {
      this.#parts.onProblem(problem)
    }
  }

  noteTraced(request: TracedRequest): void {
    const { tracing } = this.#parts
    if (tracing !== null) this.#later(() => tracing.spans.writeSettled(request))
  }

  noteAnswered(request: AnsweredRequest): void {
    const { tracing } = this.#parts
    if (tracing !== null && request.trace.recording !== null)
      this.#later(() => tracing.spans.writeServer(request))
  }

  openChunkTimes(stream: ObservedStream): ChunkTimes | null {
    return this.#parts.metrics?.openChunkTimes(stream) ?? null
  }

  /** Writes the spans that still wait. */
  flush(): void {
    while (this.#waiting.length > 0) this.#writeFor(TURN_MS)
  }

  #later(write: () => void): void {
    if (this.#waiting.length >= MAX_WAITING) return
    this.#waiting.push(write)
    if (this.#waiting.length === MANY) this.#schedule(0)
    else this.#timer ??= this.#schedule(GATHER_MS)
  }

  #schedule(delayMs: number): NodeJS.Timeout {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#writeFor(TURN_MS)
      if (this.#waiting.length > 0) this.#schedule(0)
    }, delayMs).unref()
    return this.#timer
  }

  #writeFor(turnMs: number): void {
    const begunAtMs = performance.now()
    const waiting = this.#waiting
    let written = 0
    while (written < waiting.length && performance.now() - begunAtMs < turnMs) {
      try {
        waiting[written]?.()
      } catch (problem) {
        this.#parts.onProblem(problem)
      }
      written += 1
    }
    this.#waiting = waiting.slice(written)
  }
}
