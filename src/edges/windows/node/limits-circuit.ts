import { SYSTEM_TIMERS, type Timers } from '../../../vocabulary/clock.ts'

export interface CircuitParts {
  readonly timers?: Timers
  /** Calls the limits store and sends what it missed. Rejects when it does not answer. */
  readonly recover: () => Promise<void>
  /** Called in the step in which the circuit closes, before any other call. */
  readonly onClosed: () => void
  readonly onTrouble: (error: unknown) => void
}

const FIRST_PROBE_MS = 250
const LAST_PROBE_MS = 2_000

/** Stops requests from waiting for a limits store that does not answer, and probes until it does. */
export class LimitsCircuit {
  readonly #parts: CircuitParts
  readonly #timers: Timers
  #isClosed = true
  #probeMs = FIRST_PROBE_MS
  #cancelProbe: (() => void) | null = null
  #probing: Promise<void> | null = null
  #isStopped = false

  constructor(parts: CircuitParts) {
    this.#parts = parts
    this.#timers = parts.timers ?? SYSTEM_TIMERS
  }

  /** Whether the limits store is in use. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Passes a call through; a failure opens the circuit. */
  async watch<Answer>(call: Promise<Answer>): Promise<Answer> {
    try {
      return await call
    } catch (error) {
      this.trip(error)
      throw error
    }
  }

  trip(error: unknown): void {
    if (!this.#isClosed || this.#isStopped) return
    this.#isClosed = false
    this.#probeMs = FIRST_PROBE_MS
    this.#parts.onTrouble(error)
    this.#probeLater()
  }

  /** For when the store probably answers again, such as after a reconnect. */
  probeNow(): Promise<void> {
    if (this.#isClosed || this.#isStopped) return Promise.resolve()
    this.#cancelProbe?.()
    this.#cancelProbe = null
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = null
    })
    return this.#probing
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelProbe?.()
  }

  async #probe(): Promise<void> {
    try {
      await this.#parts.recover()
    } catch {
      this.#probeMs = Math.min(LAST_PROBE_MS, this.#probeMs * 2)
      if (!this.#isStopped) this.#probeLater()
      return
    }
    this.#isClosed = true
    this.#parts.onClosed()
  }

  #probeLater(): void {
    this.#cancelProbe = this.#timers.after(this.#probeMs, () => {
      void this.probeNow()
    })
  }
}

// A process that is busy for a second counts one tick, not the whole second, because it could read no answer meanwhile.
const TICKS = 10

/**
 * Resolves to whether `work` succeeded in time. Only time in which this process could have noticed counts, so that a
 * burst of requests does not make a database look slow.
 */
export function isDoneWithin(work: Promise<unknown>, patienceMs: number, timers: Timers): Promise<boolean> {
  return new Promise((resolve) => {
    let ticksLeft = TICKS
    const tick = () => {
      ticksLeft -= 1
      if (ticksLeft === 0) resolve(false)
      else cancel = timers.after(patienceMs / TICKS, tick)
    }
    let cancel = timers.after(patienceMs / TICKS, tick)
    const end = (isDone: boolean) => {
      cancel()
      resolve(isDone)
    }
    work.then(
      () => end(true),
      () => end(false),
    )
  })
}
