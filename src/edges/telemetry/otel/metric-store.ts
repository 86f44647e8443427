import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics'
import type {
  ChunkTimes,
  ObservedRoute,
  ObservedStream,
  SettledRequest,
} from '../../../serve/ports/request-observer.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import type { Format } from '../../../vocabulary/supply.ts'
import {
  errorTypeOf,
  inputTokensOf,
  NO_PROVIDER,
  operationOf,
  type Provider,
  providerOf,
  supplierNamed,
} from './conventions.ts'
import { GEN_AI, METRICS, OVERFLOW, TOKEN_TYPE } from './names.ts'
import { hrTime } from './span-facts.ts'

const MAX_SERIES = 2_000

/** Counts values in buckets. */
class BucketCounts implements ChunkTimes {
  readonly #boundaries: readonly number[]
  readonly #counts: number[]
  #sum = 0
  #count = 0

  constructor(boundaries: readonly number[]) {
    this.#boundaries = boundaries
    this.#counts = new Array<number>(boundaries.length + 1).fill(0)
  }

  add(gapMs: number): void {
    this.record(gapMs / 1_000)
  }

  record(value: number): void {
    const boundaries = this.#boundaries
    let place = 0
    while (place < boundaries.length && value > (boundaries[place] ?? 0)) place += 1
    this.#counts[place] = (this.#counts[place] ?? 0) + 1
    this.#sum += value
    this.#count += 1
  }

  /** null when nothing was counted. */
  read(): Histogram | null {
    if (this.#count === 0) return null
    const buckets = { boundaries: [...this.#boundaries], counts: this.#counts.slice() }
    return { buckets, sum: this.#sum, count: this.#count }
  }
}

/** Everything that is measured for requests with the same attributes. */
interface Series {
  readonly attributes: Attributes
  readonly clientDuration: BucketCounts
  readonly firstChunk: BucketCounts
  readonly outputChunk: BucketCounts
  readonly inputTokens: BucketCounts
  readonly outputTokens: BucketCounts
  readonly serverDuration: BucketCounts
  readonly firstToken: BucketCounts
  readonly outputToken: BucketCounts
  amountNano: NanoUsdt
  costNano: NanoUsdt
}

/** The series of the last request in good order that a route served. */
interface UsualSeries {
  readonly model: string
  readonly clientFormat: Format
  readonly series: Series
}

/** What the attributes of a series are made of. */
interface SeriesFacts {
  readonly model: string
  readonly format: Format
  readonly upstreamModel: string | null
  readonly provider: Provider
  readonly supplierId: string
  readonly errorType: string | null
}

/**
 * Counts what requests took. The instruments of the SDK sort and hash the attributes at every value, which costs several
 * times as much as the counting; here a request looks its series up once.
 */
export class MetricStore implements MetricProducer {
  readonly #series = new Map<string, Series>()
  // A request in good order finds its series without making its key. Routes are replaced as a whole when they change.
  readonly #usual = new WeakMap<ObservedRoute['route'], UsualSeries>()
  readonly #overflow = newSeries({ [OVERFLOW]: true })
  readonly #startTime: HrTime
  readonly #resource: Resource
  readonly #nowMs: () => number

  constructor(resource: Resource, nowMs: () => number) {
    this.#resource = resource
    this.#nowMs = nowMs
    this.#startTime = hrTime(nowMs())
  }

  noteSettled(request: SettledRequest): void {
    const { settlement, served } = request
    const errorType = errorTypeOf(settlement)
    const isGood = errorType === null
    const series =
      isGood && served !== null ? this.#usualOf(request, served) : this.#findFor(request, errorType)
    measure(series, settlement, isGood)
  }

  #usualOf(request: SettledRequest, { route }: ObservedRoute): Series {
    const { model, clientFormat } = request.settlement
    const usual = this.#usual.get(route)
    if (usual !== undefined && usual.model === model && usual.clientFormat === clientFormat)
      return usual.series
    const series = this.#findFor(request, null)
    this.#usual.set(route, { model, clientFormat, series })
    return series
  }

  #findFor({ settlement, served, routes }: SettledRequest, errorType: string | null): Series {
    const last = settlement.attempts[settlement.attempts.length - 1]
    const supplier = served?.supplier ?? supplierNamed(last?.supplier, routes)
    return this.#find({
      model: settlement.model,
      format: settlement.clientFormat,
      upstreamModel: served?.route.upstreamModel ?? null,
      provider: supplier === null ? NO_PROVIDER : providerOf(supplier),
      supplierId: supplier?.id ?? '',
      errorType,
    })
  }

  openChunkTimes({ model, clientFormat, supplier, route }: ObservedStream): ChunkTimes {
    return this.#find({
      model,
      format: clientFormat,
      upstreamModel: route.upstreamModel,
      provider: providerOf(supplier),
      supplierId: supplier.id,
      errorType: null,
    }).outputChunk
  }

  /** Called by the reader of the SDK at every export. */
  async collect(): Promise<CollectionResult> {
    const all = [...this.#series.values(), this.#overflow]
    const times = { startTime: this.#startTime, endTime: hrTime(this.#nowMs()) }
    const metrics = [
      histogram('clientDuration', all, times),
      histogram('firstChunk', all, times),
      histogram('outputChunk', all, times),
      tokenUsage(all, times),
      histogram('serverDuration', all, times),
      histogram('firstToken', all, times),
      histogram('outputToken', all, times),
      sum('amount', all, times),
      sum('cost', all, times),
    ].filter(({ dataPoints }) => dataPoints.length > 0)
    const scopeMetrics = [{ scope: { name: 'turnpike' }, metrics }]
    return { resourceMetrics: { resource: this.#resource, scopeMetrics }, errors: [] }
  }

  #find(facts: SeriesFacts): Series {
    const { model, format, upstreamModel, supplierId, errorType } = facts
    const key = `${model}\n${format}\n${supplierId}\n${upstreamModel ?? ''}\n${errorType ?? ''}`
    const known = this.#series.get(key)
    if (known !== undefined) return known
    if (this.#series.size >= MAX_SERIES) return this.#overflow
    const series = newSeries(attributesOf(facts))
    this.#series.set(key, series)
    return series
  }
}

function measure(series: Series, settlement: Settlement, isGood: boolean): void {
  const { usage, durationMs, firstByteMs, stream, outcome } = settlement
  series.clientDuration.record(durationMs / 1_000)
  series.serverDuration.record(durationMs / 1_000)
  series.amountNano += settlement.amountNano
  series.costNano += settlement.costNano
  const inputTokens = inputTokensOf(usage)
  if (inputTokens > 0) series.inputTokens.record(inputTokens)
  if (usage.output > 0) series.outputTokens.record(usage.output)
  if (firstByteMs === null) return
  if (stream) series.firstChunk.record(firstByteMs / 1_000)
  if (!isGood) return
  series.firstToken.record(firstByteMs / 1_000)
  if (stream && outcome === 'completed' && usage.output > 1)
    series.outputToken.record((durationMs - firstByteMs) / 1_000 / (usage.output - 1))
}

function newSeries(attributes: Attributes): Series {
  const counts = ({ buckets = [] }: { readonly buckets?: readonly number[] }) => new BucketCounts(buckets)
  return {
    attributes,
    clientDuration: counts(METRICS.clientDuration),
    firstChunk: counts(METRICS.firstChunk),
    outputChunk: counts(METRICS.outputChunk),
    inputTokens: counts(METRICS.tokenUsage),
    outputTokens: counts(METRICS.tokenUsage),
    serverDuration: counts(METRICS.serverDuration),
    firstToken: counts(METRICS.firstToken),
    outputToken: counts(METRICS.outputToken),
    amountNano: 0n,
    costNano: 0n,
  }
}

function attributesOf({ model, format, upstreamModel, provider, errorType }: SeriesFacts): Attributes {
  return {
    [GEN_AI.operation]: operationOf(format),
    [GEN_AI.provider]: provider.name,
    [GEN_AI.requestModel]: model,
    ...(upstreamModel !== null && { [GEN_AI.responseModel]: upstreamModel }),
    ...(provider.address !== null && { [GEN_AI.serverAddress]: provider.address }),
    ...(provider.port !== null && { [GEN_AI.serverPort]: provider.port }),
    ...(errorType !== null && { [GEN_AI.errorType]: errorType }),
  }
}

interface Times {
  readonly startTime: HrTime
  readonly endTime: HrTime
}

type HistogramName = Exclude<keyof typeof METRICS, 'tokenUsage' | 'amount' | 'cost'>

function histogram(name: HistogramName, all: readonly Series[], times: Times): MetricData {
  const points = all.map((series) => ({ attributes: series.attributes, value: series[name].read() }))
  return histogramOf(name, points, times)
}

function tokenUsage(all: readonly Series[], times: Times): MetricData {
  const points = all.flatMap(({ attributes, inputTokens, outputTokens }) => [
    { attributes: { ...attributes, [TOKEN_TYPE]: 'input' }, value: inputTokens.read() },
    { attributes: { ...attributes, [TOKEN_TYPE]: 'output' }, value: outputTokens.read() },
  ])
  return histogramOf('tokenUsage', points, times)
}

function histogramOf(
  name: keyof typeof METRICS,
  points: readonly { readonly attributes: Attributes; readonly value: Histogram | null }[],
  times: Times,
): MetricData {
  const dataPoints: DataPoint<Histogram>[] = []
  for (const { attributes, value } of points) {
    if (value !== null) dataPoints.push({ ...times, attributes, value })
  }
  return {
    descriptor: descriptorOf(name),
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints,
  }
}

const NANO_PER_USDT = 1e9

function sum(name: 'amount' | 'cost', all: readonly Series[], times: Times): MetricData {
  const field = name === 'amount' ? 'amountNano' : 'costNano'
  const dataPoints = all
    .filter((series) => series[field] !== 0n)
    .map((series) => ({
      ...times,
      attributes: series.attributes,
      value: Number(series[field]) / NANO_PER_USDT,
    }))
  return {
    descriptor: descriptorOf(name),
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints,
  }
}

function descriptorOf(key: keyof typeof METRICS) {
  const { name, about, unit } = METRICS[key]
  return { name, description: about, unit, valueType: ValueType.DOUBLE }
}
