import { type AttributeValue, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import type { RequestTrace } from '../../../serve/ports/request-trace.ts'
import { ProtobufWriter } from './protobuf-writer.ts'
import { nanosecondsWithin, type SpanAttributes, type SpanEvent, type SpanFacts } from './span-facts.ts'

// The numbers of fields, from opentelemetry/proto/trace/v1/trace.proto and its neighbours.
const EXPORT = { resourceSpans: 1 } as const
const RESOURCE_SPANS = { resource: 1, scopeSpans: 2 } as const
const RESOURCE = { attributes: 1 } as const
const SCOPE_SPANS = { scope: 1, spans: 2 } as const
const SCOPE = { name: 1 } as const
const SPAN = {
  traceId: 1,
  spanId: 2,
  traceState: 3,
  parentSpanId: 4,
  name: 5,
  kind: 6,
  start: 7,
  end: 8,
  attributes: 9,
  events: 11,
  status: 15,
  flags: 16,
} as const
const EVENT = { time: 1, name: 2, attributes: 3 } as const
const STATUS = { message: 2, code: 3 } as const
const KEY_VALUE = { key: 1, value: 2 } as const
const VALUE = { string: 1, boolean: 2, integer: 3, double: 4, array: 5 } as const
const ARRAY = { values: 1 } as const

/** Larger ones do not fit in 64 bits with a sign. */
const MAX_INTEGER = 2 ** 63
const HAS_IS_REMOTE = 0x100
const IS_REMOTE = 0x200

/** Spans in the bytes of an OTLP request. */
export interface SpanBatch {
  readonly bytes: Uint8Array
  readonly count: number
}

/**
 * Writes spans as bytes at once. Spans that wait as objects, as the SDK keeps them, are work for the garbage collector,
 * and its serializer reads each of them twice.
 */
export class SpanEncoder {
  readonly #writer = new ProtobufWriter()
  readonly #usual = new UsualAttributes(this.#writer)
  readonly #resource: SpanAttributes
  #open: { readonly all: number; readonly scopeSpans: number } | null = null
  #count = 0

  constructor(resource: SpanAttributes) {
    this.#resource = resource
  }

  get count(): number {
    return this.#count
  }

  get size(): number {
    return this.#writer.size
  }

  add(trace: RequestTrace, facts: SpanFacts): void {
    this.#open ??= this.#begin()
    writeSpan(this.#writer, { trace, facts, usual: this.#usual })
    this.#count += 1
  }

  /** Everything since the last call; null when that is nothing. */
  take(): SpanBatch | null {
    if (this.#open === null) return null
    this.#writer.close(this.#open.scopeSpans)
    this.#writer.close(this.#open.all)
    const batch = { bytes: this.#writer.take(), count: this.#count }
    this.#open = null
    this.#count = 0
    return batch
  }

  #begin() {
    const writer = this.#writer
    const all = writer.open(EXPORT.resourceSpans)
    const resource = writer.open(RESOURCE_SPANS.resource)
    writeAttributes(writer, RESOURCE.attributes, this.#resource)
    writer.close(resource)
    const scopeSpans = writer.open(RESOURCE_SPANS.scopeSpans)
    const scope = writer.open(SCOPE_SPANS.scope)
    writer.text(SCOPE.name, 'turnpike')
    writer.close(scope)
    return { all, scopeSpans }
  }
}

interface WrittenSpan {
  readonly trace: RequestTrace
  readonly facts: SpanFacts
  readonly usual: UsualAttributes
}

function writeSpan(writer: ProtobufWriter, { trace, facts: span, usual }: WrittenSpan): void {
  const { traceId, state } = trace
  const { parent, events, failure } = span
  const begin = writer.open(SCOPE_SPANS.spans)
  writer.hex(SPAN.traceId, traceId)
  writer.hex(SPAN.spanId, span.spanId)
  if (state !== null) writer.text(SPAN.traceState, state)
  if (parent !== null) writer.hex(SPAN.parentSpanId, parent.spanId)
  writer.text(SPAN.name, span.name)
  // The API counts kinds from zero, the protocol from one.
  writer.integer(SPAN.kind, span.kind + 1)
  writeTime(writer, SPAN.start, span.startMs)
  writeTime(writer, SPAN.end, span.endMs)
  usual.write(span.attributes)
  if (events !== undefined) for (const event of events) writeEvent(writer, event)
  writeStatus(writer, failure)
  writer.fixed32(SPAN.flags, TraceFlags.SAMPLED | HAS_IS_REMOTE | (parent?.isRemote ? IS_REMOTE : 0))
  writer.close(begin)
}

interface KnownBytes {
  readonly names: readonly string[]
  readonly values: readonly AttributeValue[]
  readonly bytes: Uint8Array
}

// Some kinds of spans for some keys and routes; a longer list would take longer to search than it saves.
const MAX_KNOWN = 12

/** Writes the attributes of spans. Most of them are the same as in one of the last spans, and are copied from there. */
class UsualAttributes {
  readonly #writer: ProtobufWriter
  readonly #known: KnownBytes[] = []
  #oldest = 0

  constructor(writer: ProtobufWriter) {
    this.#writer = writer
  }

  write(attributes: SpanAttributes): void {
    const { usualCount, count } = attributes
    if (usualCount > 0) this.#writeUsual(attributes)
    writeSome(this.#writer, attributes, { field: SPAN.attributes, from: usualCount, to: count })
  }

  #writeUsual(attributes: SpanAttributes): void {
    const { usualCount: to, names, values } = attributes
    for (const known of this.#known) {
      if (!isSame(known, attributes)) continue
      this.#writer.raw(known.bytes)
      return
    }
    const before = this.#writer.size
    writeSome(this.#writer, attributes, { field: SPAN.attributes, from: 0, to })
    this.#known[this.#oldest] = {
      names: names.slice(0, to),
      values: values.slice(0, to),
      bytes: this.#writer.copyFrom(before),
    }
    this.#oldest = (this.#oldest + 1) % MAX_KNOWN
  }
}

function isSame({ names, values }: KnownBytes, attributes: SpanAttributes): boolean {
  const { usualCount } = attributes
  if (names.length !== usualCount) return false
  for (let place = 0; place < usualCount; place += 1) {
    if (values[place] !== attributes.values[place] || names[place] !== attributes.names[place]) return false
  }
  return true
}

function writeTime(writer: ProtobufWriter, field: number, epochMs: number): void {
  const seconds = Math.floor(epochMs / 1_000)
  writer.nanoseconds(field, seconds, nanosecondsWithin(seconds, epochMs))
}

function writeEvent(writer: ProtobufWriter, { atMs, name, attributes }: SpanEvent): void {
  const begin = writer.open(SPAN.events)
  writeTime(writer, EVENT.time, atMs)
  writer.text(EVENT.name, name)
  if (attributes !== undefined) writeAttributes(writer, EVENT.attributes, attributes)
  writer.close(begin)
}

function writeStatus(writer: ProtobufWriter, failure: SpanFacts['failure']): void {
  const begin = writer.open(SPAN.status)
  if (failure?.message !== undefined) writer.text(STATUS.message, failure.message)
  writer.integer(STATUS.code, failure === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR)
  writer.close(begin)
}

function writeAttributes(writer: ProtobufWriter, field: number, attributes: SpanAttributes): void {
  writeSome(writer, attributes, { field, from: 0, to: attributes.count })
}

interface SomeAttributes {
  readonly field: number
  readonly from: number
  readonly to: number
}

function writeSome(
  writer: ProtobufWriter,
  { names, values }: SpanAttributes,
  { field, from, to }: SomeAttributes,
): void {
  for (let place = from; place < to; place += 1) {
    const begin = writer.openShort(field)
    writer.text(KEY_VALUE.key, names[place] ?? '')
    const value = writer.openShort(KEY_VALUE.value)
    writeValue(writer, values[place])
    writer.closeShort(value)
    writer.closeShort(begin)
  }
}

function writeValue(writer: ProtobufWriter, value: AttributeValue | undefined): void {
  if (typeof value === 'string') writer.text(VALUE.string, value)
  else if (typeof value === 'number') writeNumber(writer, value)
  else if (typeof value === 'boolean') writer.integer(VALUE.boolean, value ? 1 : 0)
  else if (Array.isArray(value)) {
    const list = writer.open(VALUE.array)
    for (const item of value) {
      const begin = writer.open(ARRAY.values)
      writeValue(writer, item ?? undefined)
      writer.close(begin)
    }
    writer.close(list)
  }
}

function writeNumber(writer: ProtobufWriter, value: number): void {
  if (Number.isInteger(value) && value >= -MAX_INTEGER && value < MAX_INTEGER)
    writer.integer(VALUE.integer, value)
  else writer.double(VALUE.double, value)
}
