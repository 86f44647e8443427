import type { Clock } from '../../vocabulary/clock.ts'
import { AgingMap } from '../../vocabulary/runtime/aging-map.ts'

export interface ThrottleRule {
  /** Attempts allowed without waiting. */
  readonly free: number
  readonly firstWaitMs: number
  readonly longestWaitMs: number
  /** Attempts are forgotten this long after the last one. */
  readonly forgetMs: number
  /** The most keys to remember. Keys without a recent attempt are forgotten first. */
  readonly mostKept: number
}

interface Record {
  readonly attempts: number
  readonly lastAtMs: number
}

/**
 * Doubles the wait after each attempt. An attempt counts when it begins; otherwise a thousand parallel attempts would
 * all count as the first.
 */
export class AttemptThrottle {
  readonly #clock: Clock
  readonly #rule: ThrottleRule
  /** Ordered by last attempt, oldest first. */
  readonly #records = new AgingMap<string, Record>()

  constructor(clock: Clock, rule: ThrottleRule) {
    this.#clock = clock
    this.#rule = rule
  }

  get size(): number {
    return this.#records.size
  }

  /** Milliseconds to wait before the next attempt; 0 when it is allowed now. */
  waitMs(key: string): number {
    const record = this.#find(key)
    if (record === null) return 0
    return Math.max(0, record.lastAtMs + waitAfter(record.attempts, this.#rule) - this.#clock.nowMs())
  }

  /** Counts an attempt and returns the total. */
  begin(key: string): number {
    const attempts = (this.#find(key)?.attempts ?? 0) + 1
    this.#put(key, { attempts, lastAtMs: this.#clock.nowMs() })
    return attempts
  }

  /** Takes back an attempt that was not a guess. */
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

/** How long the next attempt has to wait after this many attempts. */
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
/** A continuing burst is reported again after this long. */
const REPORT_AGAIN_MS = 60 * MINUTE_MS
const MAX_BURSTS = 1_000
// Keeps an attacker with many addresses from filling the audit log.
const MAX_REPORTS_PER_MINUTE = 10

export interface WrongToken {
  /** How long this address has to wait before its next token is checked; 0 when it may try now. */
  readonly waitMs: number
  /** Wrong tokens from this address since the last report; null when no report is due. */
  readonly toReport: number | null
}

interface Burst {
  wrong: number
  lastAtMs: number
  /** Null before the first report. */
  reportedAtMs: number | null
}

/**
 * Counts wrong tokens by address. Valid tokens are not checked here, so that users who share an address with an attacker
 * are not locked out.
 */
export class WrongTokens {
  readonly #clock: Clock
  readonly #throttle: AttemptThrottle
  /** Ordered by last wrong token, oldest first. */
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
