import { TraceFlags } from '@opentelemetry/api'
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
const ZERO = 0x30
// As many of the last digits of a trace id as a number holds exactly.
const COMPARED_DIGITS = 13
const FIRST_COMPARED = TRACE_ID_DIGITS - COMPARED_DIGITS

/** The span of a call that nobody hears of. */
const UNKNOWN: AttemptSpan = { spanId: '', headers: null }

/** Which traces are sampled. */
export interface SamplingRule {
  /** Whether a request is sampled when the trace of its client is. */
  readonly followsParent: boolean
  /** The share of the other requests, from 0 to 1. */
  readonly ratio: number
}

export interface TraceRules {
  readonly sampling: SamplingRule
  /** Whether the trace of a client is continued. */
  readonly readsParent: boolean
  /** Whether suppliers are told the trace. */
  readonly tellsSuppliers: boolean
}

/** Decides for each request which trace it belongs to, and whether its spans are recorded. */
export class TraceContexts {
  readonly ids = new RandomIds()
  readonly #rules: TraceRules
  readonly #leastDrawn: string | null

  constructor(rules: TraceRules) {
    this.#rules = rules
    this.#leastDrawn = leastDrawn(rules.sampling.ratio)
  }

  begin(headers: HeaderFields): RequestTrace {
    const parent = this.#rules.readsParent ? readParent(headers) : null
    const traceId = parent?.traceId ?? this.ids.next(TRACE_ID_DIGITS)
    const { sampling } = this.#rules
    const isSampled =
      parent !== null && sampling.followsParent ? parent.isSampled : isDrawn(traceId, this.#leastDrawn)
    return {
      traceId,
      spanId: this.ids.next(SPAN_ID_DIGITS),
      parentSpanId: parent?.spanId ?? null,
      state: parent?.state ?? null,
      recording: isSampled ? { attempts: [], answer: '', isAnswerCut: false } : null,
    }
  }

  beginAttempt({ traceId, state, recording }: RequestTrace): AttemptSpan {
    const { tellsSuppliers } = this.#rules
    if (!tellsSuppliers && recording === null) return UNKNOWN
    const spanId = this.ids.next(SPAN_ID_DIGITS)
    if (!tellsSuppliers) return { spanId, headers: null }
    const traceparent = `00-${traceId}-${spanId}-${recording === null ? '00' : '01'}`
    return { spanId, headers: state === null ? { traceparent } : { traceparent, tracestate: state } }
  }
}

/** The last digits of the least trace id that is sampled; null when none is. */
function leastDrawn(ratio: number): string | null {
  const least = Math.ceil((1 - Math.min(ratio, 1)) * 16 ** COMPARED_DIGITS)
  // Also when the ratio is so small that it is less than one of them.
  if (least >= 16 ** COMPARED_DIGITS) return null
  return least.toString(16).padStart(COMPARED_DIGITS, '0')
}

/**
 * The id of a trace decides, so that every service that samples at this ratio samples the same traces. The samplers of
 * the SDK say the same at several times the cost.
 */
function isDrawn(traceId: string, least: string | null): boolean {
  if (least === null) return false
  for (let place = 0; place < COMPARED_DIGITS; place += 1) {
    const difference = traceId.charCodeAt(FIRST_COMPARED + place) - least.charCodeAt(place)
    // Digits stand before letters, so their codes are in the order of their values.
    if (difference !== 0) return difference > 0
  }
  return true
}

interface Parent {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
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
    isSampled,
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
    const digits = this.#digits
    const start = this.#used
    this.#used = start + length
    const id = digits.slice(start, start + length)
    // All zeros means that there is no id. Hardly any begins like that, and looking at the cut-out part would copy it.
    const mayBeNone = digits.charCodeAt(start) === ZERO && digits.charCodeAt(start + 1) === ZERO
    return mayBeNone && (id === NO_SPAN_ID || id === NO_TRACE_ID) ? this.next(length) : id
  }

  nextSpanId(): string {
    return this.next(SPAN_ID_DIGITS)
  }
}
