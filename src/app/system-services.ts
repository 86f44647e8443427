import type { Log } from '../serve/ports/log.ts'
import type { SteadyClock } from '../vocabulary/clock.ts'

/** What a test may put in place of the real thing. */
export interface SystemServices {
  readonly clock: SteadyClock
  readonly random: () => number
  readonly log: Log
}
