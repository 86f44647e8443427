import type { Clock } from '../../src/vocabulary/clock.ts'

/** A clock that stands still until it is moved. */
export interface MovableClock extends Clock {
  advance(ms: number): void
}

/** In the middle of a day, a week and a month, so that no period ends by accident. */
export const TEST_START_MS = Date.parse('2026-06-10T12:00:00Z')

export function createMovableClock(startMs = TEST_START_MS): MovableClock {
  let timeMs = startMs
  return {
    nowMs: () => timeMs,
    advance: (ms) => {
      timeMs += ms
    },
  }
}

export const realClock: Clock = { nowMs: Date.now }
