import { type SteadyClock, SYSTEM_CLOCK } from '../../src/vocabulary/clock.ts'

/** A clock that stands still until it is moved. */
export interface MovableClock extends SteadyClock {
  advance(ms: number): void
  /** Sets the machine's clock: no time passes. */
  set(aheadMs: number): void
}

/** In the middle of a day, a week and a month, so that no period ends by accident. */
export const TEST_START_MS = Date.parse('2026-06-10T12:00:00Z')

export function createMovableClock(startMs = TEST_START_MS): MovableClock {
  let passedMs = 0
  let setMs = startMs
  return {
    nowMs: () => setMs + passedMs,
    monotonicMs: () => passedMs,
    advance: (ms) => {
      passedMs += ms
    },
    set: (aheadMs) => {
      setMs += aheadMs
    },
  }
}

export const realClock: SteadyClock = SYSTEM_CLOCK
