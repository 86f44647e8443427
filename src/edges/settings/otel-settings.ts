import { type OtelSettings, type OtelSignal, SettingError } from './settings.ts'

/** How the environment is read: a value that cannot be used stops the start. */
interface OtelReader {
  text(name: string): string | null
  integer(
    name: string,
    rule: { readonly fallback: number; readonly least: number; readonly most: number },
  ): number
  choice<const T extends string>(name: string, rule: { choices: readonly T[]; fallback: T }): T
}

const SIGNALS = ['traces', 'metrics', 'logs'] as const
const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * OpenTelemetry, by the variables that its specification names. Null when no endpoint is set. Messages never repeat
 * headers, which hold secrets.
 */
export function readOtel(read: OtelReader): OtelSettings | null {
  const content = read.choice('TURNPIKE_OTEL_CONTENT', { choices: ['off', 'kept', 'all'], fallback: 'off' })
  const tells = read.choice('TURNPIKE_OTEL_TRACEPARENT', { choices: ['on', 'off'], fallback: 'on' })
  const isDisabled = read.text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true'
  // Other variables may be meant for other programs as long as there is no endpoint.
  if (isDisabled || !hasEndpoint(read)) return null
  return readDetails(read, { content, tellsSuppliers: tells === 'on' })
}

function hasEndpoint(read: OtelReader): boolean {
  const names = ['', ...SIGNALS.map((signal) => `_${signal.toUpperCase()}`)]
  return names.some((name) => read.text(`OTEL_EXPORTER_OTLP${name}_ENDPOINT`) !== null)
}

function readDetails(
  read: OtelReader,
  own: Pick<OtelSettings, 'content' | 'tellsSuppliers'>,
): OtelSettings | null {
  const [traces, metrics, logs] = SIGNALS.map((signal) => readSignal(read, signal))
  const milliseconds = (name: string, fallback: number) =>
    read.integer(name, { fallback, least: 1, most: DAY_MS })
  const count = (name: string, fallback: number) =>
    read.integer(name, { fallback, least: 1, most: 1_000_000 })
  const settings: OtelSettings = {
    traces: traces ?? null,
    metrics: metrics ?? null,
    logs: logs ?? null,
    serviceName: read.text('OTEL_SERVICE_NAME'),
    resourceAttributes: pairs(read, 'OTEL_RESOURCE_ATTRIBUTES'),
    sampler: read.choice('OTEL_TRACES_SAMPLER', { choices: SAMPLERS, fallback: 'parentbased_always_on' }),
    samplerRatio: readRatio(read),
    continuesTraces: readPropagators(read),
    ...own,
    metricIntervalMs: milliseconds('OTEL_METRIC_EXPORT_INTERVAL', 60_000),
    metricTimeoutMs: milliseconds('OTEL_METRIC_EXPORT_TIMEOUT', 30_000),
    spanQueue: {
      delayMs: milliseconds('OTEL_BSP_SCHEDULE_DELAY', 5_000),
      timeoutMs: milliseconds('OTEL_BSP_EXPORT_TIMEOUT', 30_000),
      maxItems: count('OTEL_BSP_MAX_QUEUE_SIZE', 2_048),
      maxBatch: count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
    },
    logQueue: {
      delayMs: milliseconds('OTEL_BLRP_SCHEDULE_DELAY', 1_000),
      timeoutMs: milliseconds('OTEL_BLRP_EXPORT_TIMEOUT', 30_000),
      maxItems: count('OTEL_BLRP_MAX_QUEUE_SIZE', 2_048),
      maxBatch: count('OTEL_BLRP_MAX_EXPORT_BATCH_SIZE', 512),
    },
  }
  read.choice('OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE', {
    choices: ['cumulative'],
    fallback: 'cumulative',
  })
  const isOn = SIGNALS.some((signal) => settings[signal] !== null)
  return isOn ? settings : null
}

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const MAX_TIMEOUT_MS = 600_000

/** Where one signal goes; null when it is off. A variable of the signal wins over the one for all signals. */
function readSignal(read: OtelReader, signal: (typeof SIGNALS)[number]): OtelSignal | null {
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}`
  const shared = 'OTEL_EXPORTER_OTLP'
  const exporter = read.choice(`OTEL_${signal.toUpperCase()}_EXPORTER`, {
    choices: ['otlp', 'none'],
    fallback: 'otlp',
  })
  for (const prefix of [shared, own])
    read.choice(`${prefix}_PROTOCOL`, { choices: ['http/protobuf'], fallback: 'http/protobuf' })
  const base = readAddress(read, `${shared}_ENDPOINT`)
  const exact = readAddress(read, `${own}_ENDPOINT`)
  const url = exact ?? (base === null ? null : `${base.replace(/\/+$/, '')}/v1/${signal}`)
  const compression = { choices: ['none', 'gzip'], fallback: 'none' } as const
  const timeout = { fallback: 10_000, least: 1, most: MAX_TIMEOUT_MS }
  const sharedCompression = read.choice(`${shared}_COMPRESSION`, compression)
  const sharedTimeoutMs = read.integer(`${shared}_TIMEOUT`, timeout)
  const parts = {
    headers: { ...pairs(read, `${shared}_HEADERS`), ...pairs(read, `${own}_HEADERS`) },
    timeoutMs: read.integer(`${own}_TIMEOUT`, { ...timeout, fallback: sharedTimeoutMs }),
    compression: read.choice(`${own}_COMPRESSION`, { ...compression, fallback: sharedCompression }),
  }
  return url === null || exporter === 'none' ? null : { url, ...parts }
}

function readAddress(read: OtelReader, name: string): string | null {
  const text = read.text(name)
  if (text === null) return null
  const url = URL.parse(text)
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return text
  throw new SettingError(
    `${name} is invalid; it must be an http or https address, such as http://127.0.0.1:4318.`,
  )
}

/** Reads `name=value,name=value`, percent-encoded. */
function pairs(read: OtelReader, name: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const pair of (read.text(name) ?? '').split(',')) {
    if (pair.trim() === '') continue
    const equals = pair.indexOf('=')
    const key = pair.slice(0, Math.max(0, equals)).trim()
    if (key === '') throw new SettingError(`${name} is invalid; it must be name=value,name=value.`)
    found[key] = decoded(pair.slice(equals + 1).trim())
  }
  return found
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function readRatio(read: OtelReader): number {
  const text = read.text('OTEL_TRACES_SAMPLER_ARG')
  const ratio = text === null ? 1 : Number(text)
  if (ratio >= 0 && ratio <= 1) return ratio
  throw new SettingError(
    `OTEL_TRACES_SAMPLER_ARG is ${JSON.stringify(text)}; it must be a number from 0 to 1.`,
  )
}

const KNOWN_PROPAGATORS = ['tracecontext', 'baggage', 'none']

/** Whether the traces of clients are continued. Baggage is neither read nor sent. */
function readPropagators(read: OtelReader): boolean {
  const text = read.text('OTEL_PROPAGATORS') ?? 'tracecontext'
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !KNOWN_PROPAGATORS.includes(name))
  if (unknown === undefined) return names.includes('tracecontext')
  throw new SettingError(`OTEL_PROPAGATORS is ${JSON.stringify(text)}; it must be tracecontext or none.`)
}
