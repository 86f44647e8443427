import type { Measurement } from '../measuring/measure.ts'
import { median } from '../measuring/statistics.ts'
import { megabytes, milliseconds, ratio, renderBudgets, renderTable } from '../table.ts'

const YARDSTICK = 'bare'
const NOTHING_BETWEEN = 'direct'

/** The gateway's budget, as a multiple of the bare proxy; for a translation, as a multiple of the gateway's relay. */
const BUDGETS = { cpuPerRequest: 1.8, cpuPerChunk: 1.5, cpuPerTranslatedChunk: 2, addedFirstByteMs: 1 }

/** A kind of request a peer answers wrongly here, and is therefore not measured with. */
export interface LeftOut {
  readonly target: string
  readonly streams: boolean
  readonly reason: string
}

export interface RequestsResult {
  readonly measurements: readonly Measurement[]
  readonly leftOut: readonly LeftOut[]
}

type Pick = (measurement: Measurement) => number

/** Medians over rounds, looked up by target. */
class Results {
  readonly #measurements: readonly Measurement[]

  constructor(measurements: readonly Measurement[]) {
    this.#measurements = measurements
  }

  get targets(): string[] {
    return [...new Set(this.#measurements.map(({ target }) => target))]
  }

  /** The targets that were measured in a scenario, in the order they started. */
  in(scenario: string): string[] {
    return this.targets.filter((target) => this.of(target, scenario).length > 0)
  }

  median(target: string, scenario: string, pick: Pick): number {
    return median(this.of(target, scenario).map(pick))
  }

  of(target: string, scenario: string): Measurement[] {
    return this.#measurements.filter((one) => one.target === target && one.scenario === scenario)
  }

  failures(target: string): number {
    const own = this.#measurements.filter((one) => one.target === target)
    return own.reduce((sum, { load }) => sum + load.failures, 0)
  }
}

const cpuPerRequest: Pick = ({ cpuUsPerRequest }) => cpuUsPerRequest
const cpuPerChunk: Pick = ({ cpuUsPerChunk }) => cpuUsPerChunk ?? 0
const perSecond: Pick = ({ load }) => load.requests / load.seconds
const latencyP50: Pick = ({ load }) => load.latencyUs.p50
const latencyP99: Pick = ({ load }) => load.latencyUs.p99
const firstByteP50: Pick = ({ load }) => load.firstByteUs.p50
const firstByteP99: Pick = ({ load }) => load.firstByteUs.p99
const resident: Pick = ({ residentBytes }) => residentBytes

export function renderRequests({ measurements, leftOut }: RequestsResult): string {
  const results = new Results(measurements)
  const parts = [
    `Whole replies, 16 connections\n${renderWhole(results)}`,
    `Whole replies, one at a time\n${renderAlone(results, 'whole-alone', { middle: latencyP50, slow: latencyP99 })}`,
    `Streams, 64 at once\n${renderStreams(results, 'stream')}`,
    `Translated streams, 64 at once\n${renderTranslated(results)}`,
    `First byte of a stream, one at a time\n${renderAlone(results, 'stream-alone', { middle: firstByteP50, slow: firstByteP99 })}`,
  ]
  if (results.in('crowd').length > 0) parts.push(`Streams, 2,000 at once\n${renderStreams(results, 'crowd')}`)
  parts.push(...renderBudget(results), ...renderLeftOut(leftOut), ...renderFailures(results, measurements))
  return parts.join('\n\n')
}

function renderWhole(results: Results): string {
  const head = ['', 'CPU µs/request', '× bare', 'requests/s', '× bare', 'p50 ms', 'p99 ms', 'RSS MB']
  const rows = results.in('whole').map((target) => {
    const of = (pick: Pick) => results.median(target, 'whole', pick)
    const base = (pick: Pick) => results.median(YARDSTICK, 'whole', pick)
    return [
      target,
      of(cpuPerRequest).toFixed(1),
      ratio(of(cpuPerRequest), base(cpuPerRequest)),
      of(perSecond).toFixed(0),
      ratio(of(perSecond), base(perSecond)),
      milliseconds(of(latencyP50)),
      milliseconds(of(latencyP99)),
      megabytes(of(resident)),
    ]
  })
  return renderTable([head, ...rows])
}

function renderStreams(results: Results, scenario: 'stream' | 'crowd'): string {
  const head = ['', 'CPU µs/chunk', '× bare', 'streams/s', 'first byte p50 ms', 'p99 ms', 'RSS MB']
  const rows = results.in(scenario).map((target) => {
    const of = (pick: Pick) => results.median(target, scenario, pick)
    return [
      target,
      of(cpuPerChunk).toFixed(2),
      ratio(of(cpuPerChunk), results.median(YARDSTICK, scenario, cpuPerChunk)),
      of(perSecond).toFixed(0),
      milliseconds(of(firstByteP50)),
      milliseconds(of(firstByteP99)),
      megabytes(of(resident)),
    ]
  })
  return renderTable([head, ...rows])
}

function renderTranslated(results: Results): string {
  const head = ['', 'CPU µs/chunk', '× relayed', 'streams/s', 'first byte p50 ms', 'p99 ms', 'RSS MB']
  const rows = results.in('translated-stream').map((target) => {
    const of = (pick: Pick) => results.median(target, 'translated-stream', pick)
    return [
      target,
      of(cpuPerChunk).toFixed(2),
      ratio(of(cpuPerChunk), results.median(target, 'stream', cpuPerChunk)),
      of(perSecond).toFixed(0),
      milliseconds(of(firstByteP50)),
      milliseconds(of(firstByteP99)),
      megabytes(of(resident)),
    ]
  })
  return renderTable([head, ...rows])
}

function renderAlone(
  results: Results,
  scenario: 'whole-alone' | 'stream-alone',
  picks: { middle: Pick; slow: Pick },
): string {
  const head = ['', 'p50 ms', 'p99 ms', 'p50 added to direct', '× bare']
  const added = (target: string) =>
    results.median(target, scenario, picks.middle) - results.median(NOTHING_BETWEEN, scenario, picks.middle)
  const rows = results
    .in(scenario)
    .map((target) => [
      target,
      milliseconds(results.median(target, scenario, picks.middle)),
      milliseconds(results.median(target, scenario, picks.slow)),
      milliseconds(added(target)),
      target === NOTHING_BETWEEN ? '' : ratio(added(target), added(YARDSTICK)),
    ])
  return renderTable([head, ...rows])
}

function renderBudget(results: Results): string[] {
  if (!results.targets.includes('gateway')) return []
  const times = (scenario: 'whole' | 'stream', pick: Pick) =>
    results.median('gateway', scenario, pick) / results.median(YARDSTICK, scenario, pick)
  const addedMs =
    (results.median('gateway', 'stream-alone', firstByteP50) -
      results.median(NOTHING_BETWEEN, 'stream-alone', firstByteP50)) /
    1000
  const translated =
    results.median('gateway', 'translated-stream', cpuPerChunk) /
    results.median('gateway', 'stream', cpuPerChunk)
  const wholeTimes = times('whole', cpuPerRequest)
  const chunkTimes = times('stream', cpuPerChunk)
  const budgets = [
    { what: 'CPU per whole reply, × bare', measured: wholeTimes, allowed: BUDGETS.cpuPerRequest },
    { what: 'CPU per chunk, × bare', measured: chunkTimes, allowed: BUDGETS.cpuPerChunk },
    {
      what: 'CPU per translated chunk, × relayed',
      measured: translated,
      allowed: BUDGETS.cpuPerTranslatedChunk,
    },
    { what: 'time added to the first byte, ms', measured: addedMs, allowed: BUDGETS.addedFirstByteMs },
  ]
  return [`The gateway's budget\n${renderBudgets(budgets)}`]
}

function renderFailures(results: Results, measurements: readonly Measurement[]): string[] {
  const lines = results.targets
    .filter((target) => results.failures(target) > 0)
    .map((target) => {
      const reason = measurements.find((one) => one.target === target && one.load.firstFailure !== null)
      return `  ${target}: ${results.failures(target)} failed, the first: ${reason?.load.firstFailure}`
    })
  return lines.length === 0 ? [] : [`FAILED REQUESTS\n${lines.join('\n')}`]
}

function renderLeftOut(leftOut: readonly LeftOut[]): string[] {
  const lines = leftOut.map(
    ({ target, streams, reason }) => `  ${target}, ${streams ? 'streams' : 'whole replies'}: ${reason}`,
  )
  return lines.length === 0 ? [] : [`Not measured\n${lines.join('\n')}`]
}
