import type { Log } from './gateway/ports/log.ts'
import type { Clock } from './vocabulary/clock.ts'

/** What a test may put in place of the real thing. */
export interface Surroundings {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}
