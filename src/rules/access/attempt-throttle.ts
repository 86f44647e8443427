import { AgingMap } from '../../vocabulary/aging-map.ts'
import type { Clock } from '../../vocabulary/clock.ts'

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
