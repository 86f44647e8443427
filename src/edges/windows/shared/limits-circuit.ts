import { SYSTEM_TIMERS, type Timers } from '../../../vocabulary/clock.ts'

export interface CircuitParts {
  readonly timers?: Timers
  /** Asks the limits store, and when it answers, tells it what it missed. Fails when it does not answer. */
  readonly recover: () => Promise<void>
  /** Called in the very step in which the limits store is asked again. */
  readonly onClosed: () => void
  readonly onTrouble: (error: unknown) => void
}

const FIRST_PROBE_MS = 250
const LAST_PROBE_MS = 2_000

/** Keeps requests from waiting for a limits store that does not answer, and finds out when it does again. */
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

  /** Whether the limits store is to be asked. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Gives what a call gives; a call that fails opens the circuit. */
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

  /** There is reason to believe that it answers again. */
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

// A process that is busy for a second sees one of these pass, and not the whole second: it could read no answer meanwhile.
const TICKS = 10

/**
 * Whether something was done before its time was over; what fails is not done. Only time in which this process could
 * have noticed counts, so that a burst of requests does not make a database look slow.
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
