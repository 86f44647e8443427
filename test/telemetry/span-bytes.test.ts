import { expect, test } from 'bun:test'
import { createTraceState, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import fc from 'fast-check'
import { SpanEncoder } from '../../src/edges/telemetry/otel/span-encoder.ts'
import { hrTime, SpanAttributes, type SpanFacts } from '../../src/edges/telemetry/otel/span-facts.ts'
import type { RequestTrace } from '../../src/serve/ports/request-trace.ts'
import { loadTypes } from './otlp-receiver.ts'

const RESOURCE = resourceFromAttributes({
  'service.name': 'turnpike',
  'process.pid': 7,
  'cloud.zone': 'zürich',
})

const hex = (digits: number) =>
  fc.uint8Array({ minLength: digits / 2, maxLength: digits / 2 }).map((bytes) => bytes.toHex())
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ minLength: 100, maxLength: 20_000 }))
const number = fc.oneof(fc.double({ noNaN: true }), fc.maxSafeInteger(), fc.nat(), fc.constant(-0))
const attributes = fc
  .dictionary(
    fc.string({ minLength: 1 }),
    fc.oneof(text, number, fc.boolean(), fc.array(text, { maxLength: 3 })),
    { noNullPrototype: true },
  )
  .map((object) => SpanAttributes.from(object))
// Few enough that the usual ones of some spans are the same, or nearly so.
const usual = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y', 1, '1', true)), {
  maxLength: 3,
})
const spanAttributes = fc.tuple(usual, attributes).map(([first, { names, values }]) => {
  const all = SpanAttributes.from(Object.fromEntries(first))
  all.endUsual()
  for (const [place, name] of names.entries()) {
    // An object, as the SDK has it, moves names that are numbers to the front.
    if (!all.names.includes(name) && !/^\d+$/.test(name)) all.put(name, values[place])
  }
  return all
})
const timeMs = fc.double({ min: 0, max: 4e12, noNaN: true })

const span = fc.record({
  trace: fc.record({
    traceId: hex(32),
    state: fc.constantFrom(null, 'vendor=value'),
    spanId: hex(16),
    parentSpanId: fc.constant(null),
    recording: fc.constant(null),
  }),
  facts: fc.record(
    {
      spanId: hex(16),
      name: text,
      kind: fc.constantFrom(SpanKind.SERVER, SpanKind.CLIENT, SpanKind.INTERNAL),
      startMs: timeMs,
      endMs: timeMs,
      attributes: spanAttributes,
      events: fc.array(
        fc.record({ name: text, atMs: timeMs, attributes }, { requiredKeys: ['name', 'atMs'] }),
        { maxLength: 3 },
      ),
      parent: fc.option(fc.record({ spanId: hex(16), isRemote: fc.boolean() })),
      failure: fc.record({ message: text }, { requiredKeys: [] }),
    },
    { requiredKeys: ['spanId', 'name', 'kind', 'startMs', 'endMs', 'attributes', 'parent'] },
  ),
})

interface TracedSpan {
  readonly trace: RequestTrace
  readonly facts: SpanFacts
}

const asObject = ({ names, values }: SpanAttributes) =>
  Object.fromEntries(names.map((name, place) => [name, values[place]]))

const SCOPE = { name: 'turnpike' }

/** The same span as the SDK would have it. */
function asReadable({ trace, facts }: TracedSpan): ReadableSpan {
  const { spanId, name, kind, startMs, endMs, attributes, events = [], parent, failure } = facts
  const shared = {
    traceId: trace.traceId,
    traceFlags: TraceFlags.SAMPLED,
    ...(trace.state !== null && { traceState: createTraceState(trace.state) }),
  }
  return {
    name,
    kind,
    attributes: asObject(attributes),
    spanContext: () => ({ ...shared, spanId }),
    ...(parent !== null && { parentSpanContext: { ...shared, ...parent } }),
    startTime: hrTime(startMs),
    endTime: hrTime(endMs),
    duration: hrTime(Math.max(0, endMs - startMs)),
    status:
      failure === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, ...failure },
    links: [],
    events: events.map(({ atMs, name, attributes }) => ({
      name,
      time: hrTime(atMs),
      ...(attributes !== undefined && { attributes: asObject(attributes) }),
    })),
    ended: true,
    resource: RESOURCE,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

test('spans are written as the SDK writes them', () => {
  const type = loadTypes()['/v1/traces']
  const encoder = new SpanEncoder(SpanAttributes.from(RESOURCE.attributes))
  const read = (bytes: Uint8Array | undefined) =>
    type.toObject(type.decode(bytes ?? new Uint8Array()), { longs: String, enums: String, defaults: true })
  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 6 }), (spans) => {
      for (const { trace, facts } of spans) encoder.add(trace, facts)
      const written = encoder.take()
      expect(written?.count).toBe(spans.length)
      expect(read(written?.bytes)).toEqual(
        read(ProtobufTraceSerializer.serializeRequest(spans.map(asReadable))),
      )
    }),
    { numRuns: 150 },
  )
  expect(encoder.take()).toBeNull()
})
