import {
  createOtlpNetworkExportDelegate,
  ExporterMetrics,
  OTLPExporterBase,
} from '@opentelemetry/otlp-exporter-base'
import {
  convertLegacyHttpOptions,
  type OTLPExporterNodeConfigBase,
} from '@opentelemetry/otlp-exporter-base/node-http'
import { type IExportTraceServiceResponse, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { RequestTrace } from '../../../serve/ports/request-trace.ts'
import { withTimeout } from '../../../vocabulary/clock.ts'
import { type SpanBatch, SpanEncoder } from './span-encoder.ts'
import type { SpanFacts } from './span-facts.ts'
import { SpanTransport } from './span-transport.ts'

/** Sends batches as the exporter of the SDK does, by a transport of ours. */
export function openSpanExporter(options: OTLPExporterNodeConfigBase): OTLPExporterBase<SpanBatch> {
  const target = convertLegacyHttpOptions(options, 'TRACES', 'v1/traces', {
    'Content-Type': 'application/x-protobuf',
  })
  const serializer = {
    serializeRequest: ({ bytes }: SpanBatch) => bytes,
    deserializeResponse: (bytes: Uint8Array): IExportTraceServiceResponse =>
      ProtobufTraceSerializer.deserializeResponse(bytes),
  }
  const metrics = new ExporterMetrics<SpanBatch>({
    componentType: 'otlp_http_span_exporter',
    metricsHelper: { name: 'span', countItems: ({ count }) => count },
    url: target.url,
    meterProvider: undefined,
    responseAttributesFromError: () => ({}),
  })
  return new OTLPExporterBase(
    createOtlpNetworkExportDelegate(target, serializer, metrics, new SpanTransport(target)),
  )
}

export interface QueueRules {
  readonly delayMs: number
  readonly timeoutMs: number
  readonly maxItems: number
  readonly maxBatch: number
}

export interface SpanQueueParts {
  readonly exporter: Pick<OTLPExporterBase<SpanBatch>, 'export' | 'shutdown'>
  readonly resource: ConstructorParameters<typeof SpanEncoder>[0]
  readonly rules: QueueRules
}

// Spans with content may be large, and the bound of their number does not bound that.
const MAX_WAITING_BYTES = 64 * 1024 * 1024

/** Gathers spans and sends them in batches. Beyond its bounds, spans are dropped: requests do not wait for telemetry. */
export class SpanQueue {
  readonly #parts: SpanQueueParts
  readonly #encoder: SpanEncoder
  readonly #waiting: SpanBatch[] = []
  #waitingSpans = 0
  #waitingBytes = 0
  #timer: NodeJS.Timeout | null = null
  #sending: Promise<void> | null = null

  constructor(parts: SpanQueueParts) {
    this.#parts = parts
    this.#encoder = new SpanEncoder(parts.resource)
  }

  add(trace: RequestTrace, span: SpanFacts): void {
    const { maxItems, maxBatch, delayMs } = this.#parts.rules
    const encoder = this.#encoder
    if (this.#waitingSpans + encoder.count >= maxItems) return
    if (this.#waitingBytes + encoder.size >= MAX_WAITING_BYTES) return
    encoder.add(trace, span)
    if (encoder.count >= maxBatch) this.#send()
    else this.#timer ??= setTimeout(() => this.#send(), delayMs).unref()
  }

  async shutdown(): Promise<void> {
    this.#send()
    await this.#sending
    await this.#parts.exporter.shutdown()
  }

  #send(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const batch = this.#encoder.take()
    if (batch === null) return
    this.#waiting.push(batch)
    this.#waitingSpans += batch.count
    this.#waitingBytes += batch.bytes.length
    this.#sending ??= this.#sendWaiting().finally(() => {
      this.#sending = null
    })
  }

  async #sendWaiting(): Promise<void> {
    const { exporter, rules } = this.#parts
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      const { promise, resolve } = Promise.withResolvers<unknown>()
      exporter.export(batch, resolve)
      // What fails is reported by the exporter.
      await withTimeout(rules.timeoutMs, promise, () => null)
      this.#waiting.shift()
      this.#waitingSpans -= batch.count
      this.#waitingBytes -= batch.bytes.length
    }
  }
}
