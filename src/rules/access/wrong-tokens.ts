import { AgingMap } from '../../vocabulary/aging-map.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { AttemptThrottle, type ThrottleRule } from './attempt-throttle.ts'

const MINUTE_MS = 60_000

const RULE: ThrottleRule = {
  free: 10,
  firstWaitMs: 1_000,
  longestWaitMs: MINUTE_MS,
  forgetMs: 15 * MINUTE_MS,
  mostKept: 10_000,
}
/** A burst that goes on is reported again after this long. */
const REPORT_AGAIN_MS = 60 * MINUTE_MS
const MAX_BURSTS = 1_000
// Whoever has many addresses could otherwise fill the audit from them.
const MAX_REPORTS_PER_MINUTE = 10

export interface WrongToken {
  /** How long this address has to wait for a word about its next token; 0: it is told now that this one is wrong. */
  readonly waitMs: number
  /** How many wrong tokens came from there since the last report; null when nothing is to be reported. */
  readonly toReport: number | null
}

interface Burst {
  wrong: number
  lastAtMs: number
  /** Null before the first report. */
  reportedAtMs: number | null
}

/**
 * Counts wrong tokens by where they come from. A right token is not looked up here, so that nobody who shares an address
 * with a guesser is locked out.
 */
export class WrongTokens {
  readonly #clock: Clock
  readonly #throttle: AttemptThrottle
  /** The one longest without a wrong token is the oldest. */
  readonly #bursts = new AgingMap<string, Burst>()
  #minute = 0
  #reportsInMinute = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#throttle = new AttemptThrottle(clock, RULE)
  }

  get size(): number {
    return this.#bursts.size
  }

  note(place: string): WrongToken {
    const waitMs = this.#throttle.waitMs(place)
    if (waitMs === 0) this.#throttle.begin(place)
    return { waitMs, toReport: this.#report(this.#count(place)) }
  }

  #count(place: string): Burst {
    const nowMs = this.#clock.nowMs()
    const known = this.#bursts.get(place)
    const isOver = known === undefined || nowMs - known.lastAtMs >= RULE.forgetMs
    const burst = isOver ? { wrong: 0, lastAtMs: nowMs, reportedAtMs: null } : known
    burst.wrong += 1
    burst.lastAtMs = nowMs
    this.#bursts.renew(place, burst)
    const { oldest } = this.#bursts
    if (oldest !== null && this.#bursts.size > MAX_BURSTS) this.#bursts.delete(oldest.key)
    return burst
  }

  #report(burst: Burst): number | null {
    const nowMs = this.#clock.nowMs()
    if (burst.reportedAtMs !== null && nowMs - burst.reportedAtMs < REPORT_AGAIN_MS) return null
    const minute = Math.floor(nowMs / MINUTE_MS)
    if (minute !== this.#minute) [this.#minute, this.#reportsInMinute] = [minute, 0]
    if (this.#reportsInMinute >= MAX_REPORTS_PER_MINUTE) return null
    this.#reportsInMinute += 1
    const { wrong } = burst
    burst.wrong = 0
    burst.reportedAtMs = nowMs
    return wrong
  }
}
