import type { Clock } from '../../vocabulary/clock.ts'
import { isOver, resetSeconds } from './window.ts'

// Lookups and refused requests do not use the request window; these budgets limit them.
const GUARD_FACTOR = 10

/** How many lookups and refused requests an RPM limit allows; null for no limit. */
export function guardLimit(rpm: number | null): number | null {
  return rpm === null ? null : rpm * GUARD_FACTOR
}

/** The effective RPM of a key: its own limit may be older than a lower one of its account. */
export function effectiveRpm({ key, limits }: Pick<GuardedCaller, 'key' | 'limits'>): number | null {
  if (key.rpm === null || limits.rpm === null) return key.rpm ?? limits.rpm
  return Math.min(key.rpm, limits.rpm)
}

/** Whose refusals are counted. */
export interface GuardedCaller {
  readonly account: { readonly id: string }
  readonly key: { readonly id: string; readonly rpm: number | null }
  readonly limits: { readonly rpm: number | null }
}

/** The exhausted refusal budget, and when it resets. */
export interface RefusalExcess {
  readonly limit: number
  readonly unit: 'requests' | 'body bytes'
  readonly owner: 'key' | 'account'
  /** 1 to 60. */
  readonly retryAfterSeconds: number
}

/** The refusals of an account in its current minute. */
interface RefusedMinute {
  readonly openedAtMs: number
  /** Requests. */
  spent: number
  bodyBytes: number
  readonly spentByKey: Map<string, number>
}

// The oldest minutes make room beyond this; each takes a few hundred bytes.
const MAX_ACCOUNTS = 50_000

/**
 * Limits the refused requests of each account after authentication. It protects this process, so each process counts
 * separately. Accounts without a refusal in the last minute are not in memory.
 */
export class RefusalGuard {
  readonly #clock: Clock
  readonly #maxBodyBytes: number
  /** In the order in which the minutes opened. */
  readonly #minutes = new Map<string, RefusedMinute>()

  /** `maxBodyBytes`: of refused requests, per account and minute. */
  constructor(clock: Clock, { maxBodyBytes }: { readonly maxBodyBytes: number }) {
    this.#clock = clock
    this.#maxBodyBytes = maxBodyBytes
  }

  /** The number of accounts in memory. */
  get size(): number {
    return this.#minutes.size
  }

  /** A request with this many bytes of body was refused. */
  note({ account, key }: Pick<GuardedCaller, 'account' | 'key'>, bodyBytes: number): void {
    const minute = this.#openMinute(account.id)
    minute.spent += 1
    minute.bodyBytes += bodyBytes
    minute.spentByKey.set(key.id, (minute.spentByKey.get(key.id) ?? 0) + 1)
  }

  /** Returns null when the request may proceed. */
  excessOf(caller: GuardedCaller): RefusalExcess | null {
    // Fast path: the account has no refusals.
    const minute = this.#minutes.get(caller.account.id)
    if (minute === undefined) return null
    const nowMs = this.#clock.nowMs()
    if (isOver(minute, nowMs)) return null
    const retryAfterSeconds = resetSeconds(minute, nowMs)
    const ofKey = caller.key.rpm === null ? null : guardLimit(effectiveRpm(caller))
    if (ofKey !== null && (minute.spentByKey.get(caller.key.id) ?? 0) >= ofKey)
      return { limit: ofKey, unit: 'requests', owner: 'key', retryAfterSeconds }
    const ofAccount = guardLimit(caller.limits.rpm)
    if (ofAccount !== null && minute.spent >= ofAccount)
      return { limit: ofAccount, unit: 'requests', owner: 'account', retryAfterSeconds }
    if (minute.bodyBytes < this.#maxBodyBytes) return null
    return { limit: this.#maxBodyBytes, unit: 'body bytes', owner: 'account', retryAfterSeconds }
  }

  #openMinute(accountId: string): RefusedMinute {
    const nowMs = this.#clock.nowMs()
    const known = this.#minutes.get(accountId)
    if (known !== undefined && !isOver(known, nowMs)) return known
    this.#minutes.delete(accountId)
    this.#forgetOldest(nowMs)
    const opened = { openedAtMs: nowMs, spent: 0, bodyBytes: 0, spentByKey: new Map<string, number>() }
    this.#minutes.set(accountId, opened)
    return opened
  }

  #forgetOldest(nowMs: number): void {
    for (const [accountId, minute] of this.#minutes) {
      if (this.#minutes.size < MAX_ACCOUNTS && !isOver(minute, nowMs)) return
      this.#minutes.delete(accountId)
    }
  }
}
