import type { Readings } from '../../edges/telemetry/metrics/readings.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Order, Report } from './orders.ts'

// Longer than the parent waits for its workers.
const PATIENCE_MS = 3_000

type MetricsOrder = Extract<Order, { type: 'read-metrics' | 'metrics' }>

/** The worker's side of the metrics that workers share. */
export class WorkerMetrics {
  readonly #send: (report: Report) => void
  readonly #waiting = new Map<number, (readings: Readings) => void>()
  #asked = 0
  /** Nothing while the gateway starts. */
  #readOwn: () => Readings = () => ({})

  constructor(send: (report: Report) => void) {
    this.#send = send
  }

  /** Sets how the metrics of this process are read. */
  provide(readOwn: () => Readings): void {
    this.#readOwn = readOwn
  }

  obey(order: MetricsOrder): void {
    if (order.type === 'read-metrics') {
      this.#send({ type: 'metrics', round: order.round, readings: this.#readOwn() })
      return
    }
    this.#waiting.get(order.question)?.(order.readings)
  }

  /** The last readings of this process, for its parent to keep. */
  lastReport(): Report {
    return { type: 'metrics', round: null, readings: this.#readOwn() }
  }

  /** The metrics of all workers, from the parent. */
  async readAll(): Promise<Readings> {
    const { promise, resolve, reject } = Promise.withResolvers<Readings>()
    this.#asked += 1
    const question = this.#asked
    this.#waiting.set(question, resolve)
    const timer = setTimeout(() => reject(noAnswer()), PATIENCE_MS)
    try {
      this.#send({ type: 'want-metrics', question })
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(question)
    }
  }
}

/** Not the metrics of this worker alone: their counters are lower, which would look like a restart. */
function noAnswer(): GatewayError {
  return new GatewayError('temporarily_unavailable', 'The metrics of the other workers cannot be read.')
}
