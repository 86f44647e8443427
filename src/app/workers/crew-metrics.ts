import packageFile from '../../../package.json' with { type: 'json' }
import { readProcessGauges } from '../../edges/telemetry/metrics/process-gauges.ts'
import {
  keepCounts,
  type Readings,
  ReadingsBuilder,
  sumReadings,
} from '../../edges/telemetry/metrics/readings.ts'
import type { Order } from './orders.ts'

/** A worker as its metrics are read. */
export interface MeteredWorker {
  readonly nodeId: string
  order(order: Order): void
}

interface Known {
  readonly worker: MeteredWorker
  readings: Readings
}

interface Round {
  readonly id: number
  readonly awaited: Set<string>
  readonly done: () => void
  readonly result: Promise<void>
}

// A worker that takes longer is busy; what it said last stands for it.
const PATIENCE_MS = 1_000
// At most so much of what a worker has counted is lost when it is killed.
export const READ_EVERY_MS = 5_000

/**
 * The metrics of all workers as one. Counts of workers that have ended are kept, so that no counter ever falls; gauges
 * end with their worker.
 */
export class CrewMetrics {
  readonly #workers = new Map<string, Known>()
  #ended: Readings = {}
  #round: Round | null = null
  #rounds = 0

  add(worker: MeteredWorker): void {
    this.#workers.set(worker.nodeId, { worker, readings: {} })
  }

  end(nodeId: string): void {
    const known = this.#workers.get(nodeId)
    if (known === undefined) return
    this.#workers.delete(nodeId)
    this.#ended = sumReadings([this.#ended, keepCounts(known.readings)])
    this.#cross(nodeId)
  }

  /** A worker tells its readings: because it was asked, or because it ends, with `round` null. */
  note(nodeId: string, readings: Readings, round: number | null): void {
    const known = this.#workers.get(nodeId)
    if (known !== undefined) known.readings = readings
    if (round === this.#round?.id) this.#cross(nodeId)
  }

  /** Asks all workers. Those who ask at the same time get the same. */
  async read(): Promise<Readings> {
    await this.refresh()
    const living = [...this.#workers.values()].map(({ readings }) => readings)
    return sumReadings([this.#ended, ...living, ownReadings()])
  }

  /** Asks all workers, and adds nothing up: the parent has other things to do. */
  async refresh(): Promise<void> {
    this.#round ??= this.#begin()
    await this.#round.result
  }

  /** Sends the metrics of all to the worker that wants them. */
  async answer(nodeId: string, question: number): Promise<void> {
    const readings = await this.read()
    this.#workers.get(nodeId)?.worker.order({ type: 'metrics', question, readings })
  }

  #begin(): Round {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#rounds += 1
    const timer = setTimeout(resolve, PATIENCE_MS)
    const result = promise.then(() => {
      clearTimeout(timer)
      this.#round = null
    })
    const round = { id: this.#rounds, awaited: new Set(this.#workers.keys()), done: resolve, result }
    for (const { worker } of this.#workers.values()) worker.order({ type: 'read-metrics', round: round.id })
    if (round.awaited.size === 0) resolve()
    return round
  }

  #cross(nodeId: string): void {
    const round = this.#round
    if (round?.awaited.delete(nodeId) && round.awaited.size === 0) round.done()
  }
}

/** The parent serves no requests, but it uses memory and time. */
function ownReadings(): Readings {
  const { residentBytes, cpuSeconds } = readProcessGauges(packageFile.version)
  return new ReadingsBuilder()
    .add('process_resident_memory_bytes', {}, residentBytes)
    .add('process_cpu_seconds_total', {}, cpuSeconds).readings
}
