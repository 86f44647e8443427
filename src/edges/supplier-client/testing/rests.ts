import type { Rest } from '../connection-pool.ts'

/** Connections can be reused at once, for tests that are not about the rest. */
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
