import { hostname } from 'node:os'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import type { Log } from '../../../serve/ports/log.ts'
import type { RequestObserver } from '../../../serve/ports/request-observer.ts'
import type { LEVEL_NUMBERS } from '../request-fields.ts'
import { type FailureWatch, watchExports } from './failure-watch.ts'
import { exportingLog } from './log-export.ts'
import { MetricStore } from './metric-store.ts'
import { OtelObserver, type Tracing } from './observer.ts'
import { SpanAttributes } from './span-facts.ts'
import { openSpanExporter, type QueueRules, SpanQueue } from './span-queue.ts'
import { type ContentRule, SpanWriter } from './span-writer.ts'
import { type SamplingRule, TraceContexts } from './trace-context.ts'

/** Where one kind of telemetry goes. */
export interface SignalTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly compression: 'none' | 'gzip'
}

export interface TelemetryRules {
  /** Null for what is not sent; the same for the others. */
  readonly traces: SignalTarget | null
  readonly metrics: SignalTarget | null
  readonly logs: SignalTarget | null
  readonly serviceName: string | null
  readonly resourceAttributes: Readonly<Record<string, string>>
  readonly sampler: string
  readonly samplerRatio: number
  readonly continuesTraces: boolean
  readonly content: ContentRule
  readonly tellsSuppliers: boolean
  readonly metricIntervalMs: number
  readonly metricTimeoutMs: number
  readonly spanQueue: QueueRules
  readonly logQueue: QueueRules
}

export interface TelemetryParts {
  readonly version: string
  readonly log: Log
  readonly logLevel: keyof typeof LEVEL_NUMBERS
  nowMs(): number
}

/** OpenTelemetry, as far as it is on. */
export interface Telemetry {
  readonly observer: RequestObserver
  /** The log, whose lines are exported too. */
  readonly log: Log
  /** Sends what waits, and gives up after the deadline. */
  stop(deadlineMs: number): Promise<void>
}

interface Provider {
  shutdown(): Promise<void>
}

/** Loaded only when an endpoint is set: the packages take a moment and some memory. */
export function openTelemetry(rules: TelemetryRules, parts: TelemetryParts): Telemetry {
  const resource = resourceOf(rules, parts.version)
  const watch = watchExports(parts)
  const providers: Provider[] = []
  const tracing =
    rules.traces === null ? null : openTraces(rules, rules.traces, { resource, watch, providers })
  const metrics =
    rules.metrics === null
      ? null
      : openMetrics(rules, rules.metrics, { resource, watch, providers, nowMs: parts.nowMs })
  const log =
    rules.logs === null ? parts.log : openLogs(rules, rules.logs, { ...parts, resource, watch, providers })
  const observer = new OtelObserver({ tracing, metrics, onProblem: watch.noteProblem })
  return {
    observer,
    log,
    stop: async (deadlineMs) => {
      observer.flush()
      await within(deadlineMs, Promise.allSettled(providers.map((provider) => provider.shutdown())))
    },
  }
}

async function within(deadlineMs: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, deadlineMs)
  await Promise.race([work, late])
  clearTimeout(timer)
}

function resourceOf({ serviceName, resourceAttributes }: TelemetryRules, version: string): Resource {
  return resourceFromAttributes({
    'service.name': 'turnpike',
    'service.version': version,
    'service.instance.id': crypto.randomUUID(),
    'host.name': hostname(),
    'process.pid': process.pid,
    ...resourceAttributes,
    ...(serviceName !== null && { 'service.name': serviceName }),
  })
}

interface OpenParts {
  readonly resource: Resource
  readonly watch: FailureWatch
  /** Takes what is to be shut down. */
  readonly providers: Provider[]
}

function optionsOf({ url, headers, timeoutMs, compression }: SignalTarget) {
  return { url, headers: { ...headers }, timeoutMillis: timeoutMs, compression: compression as never }
}

function queueOf({ delayMs, timeoutMs, maxItems, maxBatch }: QueueRules) {
  return {
    scheduledDelayMillis: delayMs,
    exportTimeoutMillis: timeoutMs,
    maxQueueSize: maxItems,
    maxExportBatchSize: Math.min(maxBatch, maxItems),
  }
}

function openTraces(
  rules: TelemetryRules,
  target: SignalTarget,
  { resource, watch, providers }: OpenParts,
): Tracing {
  const exporter = watch.exporter('traces', openSpanExporter(optionsOf(target)))
  const queue = new SpanQueue({
    exporter,
    resource: SpanAttributes.from(resource.attributes),
    rules: rules.spanQueue,
  })
  providers.push(queue)
  const contexts = new TraceContexts({
    sampling: samplingOf(rules),
    readsParent: rules.continuesTraces,
    tellsSuppliers: rules.tellsSuppliers,
  })
  const spans = new SpanWriter({ queue, ids: contexts.ids, content: rules.content })
  return { contexts, spans }
}

const PARENT_BASED = 'parentbased_'

const RATIOS: Readonly<Record<string, number>> = { always_on: 1, always_off: 0 }

/** The rule behind a name of `OTEL_TRACES_SAMPLER`. */
export function samplingOf({
  sampler,
  samplerRatio,
}: Pick<TelemetryRules, 'sampler' | 'samplerRatio'>): SamplingRule {
  const followsParent = sampler.startsWith(PARENT_BASED)
  const name = followsParent ? sampler.slice(PARENT_BASED.length) : sampler
  return { followsParent, ratio: RATIOS[name] ?? samplerRatio }
}

function openMetrics(
  rules: TelemetryRules,
  target: SignalTarget,
  { resource, watch, providers, nowMs }: OpenParts & Pick<TelemetryParts, 'nowMs'>,
): MetricStore {
  const store = new MetricStore(resource, nowMs)
  const reader = new PeriodicExportingMetricReader({
    exporter: watch.exporter('metrics', new OTLPMetricExporter(optionsOf(target))),
    exportIntervalMillis: rules.metricIntervalMs,
    exportTimeoutMillis: Math.min(rules.metricTimeoutMs, rules.metricIntervalMs),
    metricProducers: [store],
  })
  providers.push(new MeterProvider({ resource, readers: [reader] }))
  return store
}

function openLogs(
  rules: TelemetryRules,
  target: SignalTarget,
  { resource, watch, providers, log, logLevel }: OpenParts & TelemetryParts,
): Log {
  const exporter = watch.exporter('logs', new OTLPLogExporter(optionsOf(target)))
  const processors = [new BatchLogRecordProcessor({ exporter, ...queueOf(rules.logQueue) })]
  const provider = new LoggerProvider({ resource, processors })
  providers.push(provider)
  return exportingLog(log, { logger: provider.getLogger('turnpike'), level: logLevel })
}
