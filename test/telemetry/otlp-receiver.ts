import { join } from 'node:path'
import protobuf from 'protobufjs'

/** A value as OTLP writes it. */
interface AnyValue {
  readonly stringValue?: string
  readonly intValue?: string
  readonly doubleValue?: number
  readonly boolValue?: boolean
  readonly arrayValue?: { readonly values?: readonly AnyValue[] }
}

interface KeyValue {
  readonly key: string
  readonly value: AnyValue
}

export type Attributes = Readonly<Record<string, unknown>>

export interface ReceivedSpan {
  readonly name: string
  readonly kind: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceState: string
  readonly startMs: number
  readonly endMs: number
  readonly status: { readonly code?: string; readonly message?: string }
  readonly attributes: Attributes
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[]
  readonly resource: Attributes
}

export interface ReceivedPoint {
  readonly attributes: Attributes
  readonly count?: number
  readonly sum?: number
  readonly value?: number
  readonly bounds?: readonly number[]
  readonly counts?: readonly number[]
}

export interface ReceivedMetric {
  readonly name: string
  readonly unit: string
  readonly isHistogram: boolean
  readonly points: readonly ReceivedPoint[]
}

export interface ReceivedLog {
  readonly body: unknown
  readonly severityText: string
  readonly traceId: string
  readonly spanId: string
  readonly attributes: Attributes
}

/** An OTLP receiver that decodes what it gets by the official protobuf definitions. */
export interface OtlpReceiver {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** As of the last export. */
  readonly metrics: ReadonlyMap<string, ReceivedMetric>
  readonly logs: readonly ReceivedLog[]
  /** The headers of all requests. */
  readonly headers: readonly Headers[]
  /** While it is set, every export is answered with this status. */
  failWith: number | null
  stop(): Promise<void>
}

const ROOT = join(import.meta.dir, 'otlp')
const SERVICES = ['trace', 'metrics', 'logs'] as const

export function loadTypes() {
  const root = new protobuf.Root()
  root.resolvePath = (_origin, target) => join(ROOT, target)
  root.loadSync(
    SERVICES.map((name) => `opentelemetry/proto/collector/${name}/v1/${name}_service.proto`),
    { keepCase: false },
  )
  const type = (name: string) => root.lookupType(`opentelemetry.proto.collector.${name}`)
  return {
    '/v1/traces': type('trace.v1.ExportTraceServiceRequest'),
    '/v1/metrics': type('metrics.v1.ExportMetricsServiceRequest'),
    '/v1/logs': type('logs.v1.ExportLogsServiceRequest'),
  }
}

export function startOtlpReceiver(): OtlpReceiver {
  const types = loadTypes()
  const received = {
    spans: [] as ReceivedSpan[],
    metrics: new Map<string, ReceivedMetric>(),
    logs: [] as ReceivedLog[],
    headers: [] as Headers[],
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const path = new URL(request.url).pathname
      received.headers.push(request.headers)
      if (receiver.failWith !== null) return new Response(null, { status: receiver.failWith })
      if (!(path in types)) return new Response(null, { status: 404 })
      const type = types[path as keyof typeof types]
      const bytes = new Uint8Array(await request.arrayBuffer())
      const plain = request.headers.get('content-encoding') === 'gzip' ? Bun.gunzipSync(bytes) : bytes
      const message = type.toObject(type.decode(plain), { longs: String, enums: String, bytes: Array })
      if (path === '/v1/traces') received.spans.push(...readSpans(message))
      else if (path === '/v1/metrics')
        for (const one of readMetrics(message)) received.metrics.set(one.name, one)
      else received.logs.push(...readLogs(message))
      return new Response(new Uint8Array(), { headers: { 'content-type': 'application/x-protobuf' } })
    },
  })
  const receiver: OtlpReceiver = {
    ...received,
    url: `http://127.0.0.1:${server.port}`,
    failWith: null,
    stop: () => server.stop(true),
  }
  return receiver
}

// biome-ignore lint/suspicious/noExplicitAny: the official definitions describe these messages, not TypeScript.
type Message = any

function readSpans({ resourceSpans = [] }: Message): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }: Message) =>
    scopeSpans.flatMap(({ spans = [] }: Message) =>
      spans.map((span: Message) => ({
        name: span.name,
        kind: span.kind,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId),
        traceState: span.traceState ?? '',
        startMs: Number(span.startTimeUnixNano) / 1e6,
        endMs: Number(span.endTimeUnixNano) / 1e6,
        status: span.status ?? {},
        attributes: attributesOf(span.attributes),
        events: (span.events ?? []).map((event: Message) => ({
          name: event.name,
          attributes: attributesOf(event.attributes),
        })),
        resource: attributesOf(resource?.attributes),
      })),
    ),
  )
}

function readMetrics({ resourceMetrics = [] }: Message): ReceivedMetric[] {
  return resourceMetrics.flatMap(({ scopeMetrics = [] }: Message) =>
    scopeMetrics.flatMap(({ metrics = [] }: Message) =>
      metrics.map((metric: Message) => ({
        name: metric.name,
        unit: metric.unit,
        isHistogram: metric.histogram !== undefined,
        points: ((metric.histogram ?? metric.sum)?.dataPoints ?? []).map((point: Message) => ({
          attributes: attributesOf(point.attributes),
          ...(metric.histogram !== undefined
            ? {
                count: Number(point.count),
                sum: point.sum,
                bounds: point.explicitBounds,
                counts: point.bucketCounts.map(Number),
              }
            : { value: point.asDouble }),
        })),
      })),
    ),
  )
}

function readLogs({ resourceLogs = [] }: Message): ReceivedLog[] {
  return resourceLogs.flatMap(({ scopeLogs = [] }: Message) =>
    scopeLogs.flatMap(({ logRecords = [] }: Message) =>
      logRecords.map((record: Message) => ({
        body: plainValue(record.body),
        severityText: record.severityText,
        traceId: hex(record.traceId),
        spanId: hex(record.spanId),
        attributes: attributesOf(record.attributes),
      })),
    ),
  )
}

function hex(bytes: readonly number[] | undefined): string {
  return Buffer.from(bytes ?? []).toString('hex')
}

function attributesOf(pairs: readonly KeyValue[] | undefined): Attributes {
  return Object.fromEntries((pairs ?? []).map(({ key, value }) => [key, plainValue(value)]))
}

function plainValue(value: AnyValue | undefined): unknown {
  if (value === undefined) return undefined
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(plainValue)
  if (value.intValue !== undefined) return Number(value.intValue)
  return value.stringValue ?? value.doubleValue ?? value.boolValue
}
