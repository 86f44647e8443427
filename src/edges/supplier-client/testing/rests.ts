import type { Rest } from '../connection-pool.ts'

/** Every connection has rested as soon as somebody wants it: for tests that are about something else. */
export function noRest(): Rest {
  let turns = 0
  return {
    get turn() {
      turns += 100
      return turns
    },
    turnUntil: () => undefined,
  }
}

/** A rest that is over when a test says so. */
export function handTurnedRest() {
  return {
    turn: 0,
    turnUntil: () => undefined,
    /** Enough turns for any rest. */
    end() {
      this.turn += 100
    },
  }
}
