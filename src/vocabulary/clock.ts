/** Passed in everywhere time matters, so that tests decide what time it is. */
export interface Clock {
  /** UTC epoch milliseconds. May jump in either direction when the machine's clock is set. */
  nowMs(): number
}

/** A clock that can also tell how long something takes. */
export interface SteadyClock extends Clock {
  /** Milliseconds since some moment of this process. Never jumps, and means nothing to another process. */
  monotonicMs(): number
}

// Whole milliseconds, because durations are stored.
export const SYSTEM_CLOCK: SteadyClock = {
  nowMs: Date.now,
  monotonicMs: () => Math.floor(performance.now()),
}

/** Passed in, so that tests decide when time passes. */
export interface Timers {
  /** Gives what calls it off. */
  after(delayMs: number, run: () => void): () => void
}

export const SYSTEM_TIMERS: Timers = {
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}
