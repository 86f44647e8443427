import {
  type Attributes,
  createTraceState,
  type HrTime,
  type SpanContext,
  type SpanKind,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan, TimedEvent } from '@opentelemetry/sdk-trace'
import type { RequestTrace } from '../../../serve/ports/request-trace.ts'

export interface SpanFacts {
  readonly spanId: string
  readonly name: string
  readonly kind: SpanKind
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly events?: TimedEvent[]
  /** Null when it is the first of its trace. */
  readonly parent: { readonly spanId: string; readonly isRemote: boolean } | null
  /** Absent when it did not fail. */
  readonly failure?: { readonly message?: string }
}

const SCOPE = { name: 'turnpike' }
const UNSET: SpanStatus = { code: SpanStatusCode.UNSET }

/**
 * A span that has ended, as exporters read it. A span of the SDK is made to be changed while it runs, checks every
 * attribute and takes its own times, which takes several times as long.
 */
export class EndedSpan implements ReadableSpan {
  readonly name: string
  readonly kind: SpanKind
  readonly parentSpanContext?: SpanContext
  readonly startTime: HrTime
  readonly endTime: HrTime
  readonly duration: HrTime
  readonly status: SpanStatus
  readonly attributes: Attributes
  readonly links = []
  readonly events: TimedEvent[]
  readonly ended = true
  readonly resource: Resource
  readonly instrumentationScope = SCOPE
  readonly droppedAttributesCount = 0
  readonly droppedEventsCount = 0
  readonly droppedLinksCount = 0
  readonly #context: SpanContext

  constructor({ traceId, state }: RequestTrace, facts: SpanFacts, resource: Resource) {
    const { spanId, parent, failure } = facts
    const shared = {
      traceId,
      traceFlags: TraceFlags.SAMPLED,
      ...(state !== null && { traceState: createTraceState(state) }),
    }
    this.#context = { ...shared, spanId }
    if (parent !== null) this.parentSpanContext = { ...shared, ...parent }
    this.name = facts.name
    this.kind = facts.kind
    this.startTime = hrTime(facts.startMs)
    this.endTime = hrTime(facts.endMs)
    this.duration = hrTime(facts.endMs - facts.startMs)
    this.status = failure === undefined ? UNSET : { code: SpanStatusCode.ERROR, ...failure }
    this.attributes = facts.attributes
    this.events = facts.events ?? []
    this.resource = resource
  }

  spanContext(): SpanContext {
    return this.#context
  }
}

export function hrTime(epochMs: number): HrTime {
  const seconds = Math.floor(epochMs / 1_000)
  return [seconds, Math.round((epochMs - seconds * 1_000) * 1e6)]
}

type Value = string | number | boolean | readonly string[] | null | undefined

/** Adds an attribute, unless there is no value for it. */
export function put(attributes: Attributes, name: string, value: Value): void {
  if (value !== null && value !== undefined) attributes[name] = value as string
}
