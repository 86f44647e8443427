import type { Passwords } from '../manage/identity/passwords.ts'
import type { Log } from '../serve/ports/log.ts'
import type { RequestObserver } from '../serve/ports/request-observer.ts'
import type { SteadyClock } from '../vocabulary/clock.ts'

/** What a test may put in place of the real thing. */
export interface SystemServices {
  readonly clock: SteadyClock
  readonly random: () => number
  readonly log: Log
  /** Absent: with the costs of production. */
  readonly passwords?: Passwords
  /** Absent when requests are neither traced nor measured. */
  readonly observer?: RequestObserver | undefined
}
