import type { Clock } from '../../vocabulary/clock.ts'
import { AgingMap } from '../../vocabulary/runtime/aging-map.ts'

export interface ThrottleRule {
  /** Attempts that may follow one another without waiting. */
  readonly free: number
  readonly firstWaitMs: number
  readonly longestWaitMs: number
  /** How long after the last attempt everything is forgiven. */
  readonly forgetMs: number
  /** Whose attempts are remembered at most; those longest without one are forgotten first. */
  readonly mostKept: number
}

interface Record {
  readonly attempts: number
  readonly lastAtMs: number
}

/**
 * Makes whoever guesses wait twice as long each time. An attempt counts from its beginning, or a thousand begun at once
 * would all be the first.
 */
export class AttemptThrottle {
  readonly #clock: Clock
  readonly #rule: ThrottleRule
  /** The longest without an attempt comes first. */
  readonly #records = new AgingMap<string, Record>()

  constructor(clock: Clock, rule: ThrottleRule) {
    this.#clock = clock
    this.#rule = rule
  }

  get size(): number {
    return this.#records.size
  }

  /** How long to wait before the next attempt; 0 when it may be made now. */
  waitMs(key: string): number {
    const record = this.#find(key)
    if (record === null) return 0
    return Math.max(0, record.lastAtMs + waitAfter(record.attempts, this.#rule) - this.#clock.nowMs())
  }

  /** Counts an attempt and gives their number. */
  begin(key: string): number {
    const attempts = (this.#find(key)?.attempts ?? 0) + 1
    this.#put(key, { attempts, lastAtMs: this.#clock.nowMs() })
    return attempts
  }

  /** Takes back one attempt that was no guess. */
  giveBack(key: string): void {
    const record = this.#find(key)
    if (record === null) return
    if (record.attempts <= 1) this.#records.delete(key)
    else this.#records.set(key, { ...record, attempts: record.attempts - 1 })
  }

  forgive(key: string): void {
    this.#records.delete(key)
  }

  #find(key: string): Record | null {
    const record = this.#records.get(key)
    if (record === undefined) return null
    if (this.#clock.nowMs() - record.lastAtMs < this.#rule.forgetMs) return record
    this.#records.delete(key)
    return null
  }

  #put(key: string, record: Record): void {
    this.#records.renew(key, record)
    const { oldest } = this.#records
    if (oldest !== null && this.#records.size > this.#rule.mostKept) this.#records.delete(oldest.key)
  }
}

/** How long the next attempt has to wait after so many. */
export function waitAfter(attempts: number, { free, firstWaitMs, longestWaitMs }: ThrottleRule): number {
  if (attempts < free) return 0
  return Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(30, attempts - free))
}

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
