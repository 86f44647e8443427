import { type Link, ROOT_CONTEXT, type SpanContext, SpanKind, TraceFlags, trace } from '@opentelemetry/api'
import { type Sampler, SamplingDecision } from '@opentelemetry/sdk-trace'
import type { AttemptSpan } from '../../../serve/ports/request-observer.ts'
import type { RequestTrace } from '../../../serve/ports/request-trace.ts'
import type { HeaderFields } from '../../../wire/http-answer.ts'

const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NO_TRACE_ID = '0'.repeat(32)
const NO_SPAN_ID = '0'.repeat(16)
// As long as the W3C recommendation asks everyone to forward.
const MAX_STATE_LENGTH = 512
const TRACE_ID_DIGITS = 32
const SPAN_ID_DIGITS = 16
const DRAWN_DIGITS = 8_192
const NO_ATTRIBUTES = {}
const NO_LINKS: Link[] = []

export interface TraceRules {
  readonly sampler: Sampler
  /** Whether the trace of a client is continued. */
  readonly readsParent: boolean
  /** Whether suppliers are told the trace. */
  readonly tellsSuppliers: boolean
}

/** Decides for each request which trace it belongs to, and whether its spans are recorded. */
export class TraceContexts {
  readonly ids = new RandomIds()
  readonly #rules: TraceRules

  constructor(rules: TraceRules) {
    this.#rules = rules
  }

  begin(headers: HeaderFields): RequestTrace {
    const parent = this.#rules.readsParent ? readParent(headers) : null
    const traceId = parent?.traceId ?? this.ids.next(TRACE_ID_DIGITS)
    const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
    const { decision } = this.#rules.sampler.shouldSample(
      context,
      traceId,
      '',
      SpanKind.SERVER,
      NO_ATTRIBUTES,
      NO_LINKS,
    )
    const isSampled = decision === SamplingDecision.RECORD_AND_SAMPLED
    return {
      traceId,
      spanId: this.ids.next(SPAN_ID_DIGITS),
      parentSpanId: parent?.spanId ?? null,
      state: parent?.state ?? null,
      recording: isSampled ? { attempts: [], answer: '', isAnswerCut: false } : null,
    }
  }

  beginAttempt({ traceId, state, recording }: RequestTrace): AttemptSpan {
    const spanId = this.ids.next(SPAN_ID_DIGITS)
    if (!this.#rules.tellsSuppliers) return { spanId, headers: null }
    const traceparent = `00-${traceId}-${spanId}-${recording === null ? '00' : '01'}`
    return { spanId, headers: state === null ? { traceparent } : { traceparent, tracestate: state } }
  }
}

interface Parent extends SpanContext {
  readonly state: string | null
}

/** The span that a client names; null when it names none, or not as the recommendation says. */
export function readParent(headers: HeaderFields): Parent | null {
  const text = headers.get('traceparent')
  if (text === null) return null
  const [, version, traceId = '', spanId = '', flags = '00', rest] = TRACE_PARENT.exec(text.trim()) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null
  if (traceId === NO_TRACE_ID || spanId === NO_SPAN_ID) return null
  const state = headers.get('tracestate')
  const isSampled = (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) !== 0
  return {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    state: state === null || state === '' || state.length > MAX_STATE_LENGTH ? null : state,
  }
}

/** Random ids in hexadecimal digits, drawn for many at once. */
export class RandomIds {
  #digits = ''
  #used = 0

  next(length: number): string {
    if (this.#used + length > this.#digits.length) {
      this.#digits = crypto.getRandomValues(Buffer.alloc(DRAWN_DIGITS / 2)).toString('hex')
      this.#used = 0
    }
    const id = this.#digits.slice(this.#used, this.#used + length)
    this.#used += length
    // All zeros means that there is no id.
    return id === NO_SPAN_ID || id === NO_TRACE_ID ? this.next(length) : id
  }

  nextSpanId(): string {
    return this.next(SPAN_ID_DIGITS)
  }
}
