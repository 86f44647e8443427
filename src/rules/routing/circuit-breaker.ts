import type { Circuit } from '../../vocabulary/supply.ts'
import type { Random, RoutingSettings } from './routing-settings.ts'

/** What a breaker needs besides the results of attempts. */
export interface BreakerParts {
  readonly settings: RoutingSettings
  readonly random: Random
}

/**
 * Stops using what fails repeatedly. After a pause, one attempt at a time probes whether it works again; each failed
 * probe makes the next pause longer.
 *
 * Attempts are identified by object, so that the late failure of an older attempt is not counted as the probe's.
 */
export class CircuitBreaker {
  readonly #parts: BreakerParts
  /** null while closed. */
  opensAgainAtMs: number | null = null
  /** Unlike the failures that open the circuit, these are also counted while it is open. */
  failuresSinceSuccess = 0
  /** The attempt that probes, or that the probe is reserved for. */
  probe: object | null = null
  #failuresInRow = 0
  #failedAtMs = Number.NEGATIVE_INFINITY
  #timesOpened = 0
  #closedAtMs = 0
  #leaseEndsAtMs = 0

  constructor(parts: BreakerParts) {
    this.#parts = parts
  }

  get isClosed(): boolean {
    return this.opensAgainAtMs === null
  }

  stateAt(nowMs: number): Circuit {
    if (this.opensAgainAtMs === null) return 'closed'
    return nowMs < this.opensAgainAtMs ? 'open' : 'half-open'
  }

  /** Whether no other attempt is probing. Call it only on a half-open circuit. */
  isProbeFree(nowMs: number): boolean {
    return this.probe === null || nowMs >= this.#leaseEndsAtMs
  }

  /** Reserves the probe for an attempt that is about to begin. */
  lease(attempt: object, nowMs: number): void {
    if (this.stateAt(nowMs) !== 'half-open') return
    this.probe = attempt
    this.#leaseEndsAtMs = nowMs + this.#parts.settings.probeLeaseMs
  }

  /** Begins an attempt. Returns false when another attempt is already probing. */
  begin(attempt: object, nowMs: number): boolean {
    if (this.stateAt(nowMs) !== 'half-open') return true
    if (this.probe !== attempt && !this.isProbeFree(nowMs)) return false
    this.probe = attempt
    this.#leaseEndsAtMs = Number.POSITIVE_INFINITY
    return true
  }

  /** The answer of a probe has begun. A slow client could delay its end, so the wait is limited. */
  lendProbe(attempt: object, nowMs: number): void {
    if (this.probe === attempt) this.#leaseEndsAtMs = nowMs + this.#parts.settings.probeStreamMs
  }

  /** Releases the probe of an attempt that has ended, with any result. */
  release(attempt: object): void {
    if (this.probe === attempt) this.probe = null
  }

  /** Records the success of an answer. One that began before the latest failure does not clear that failure. */
  succeed(nowMs: number, begunAtMs = nowMs): void {
    if (begunAtMs < this.#failedAtMs) return
    this.#failuresInRow = 0
    this.failuresSinceSuccess = 0
    if (this.opensAgainAtMs === null) return
    this.#closedAtMs = nowMs
    this.opensAgainAtMs = null
  }

  fail(attempt: object, nowMs: number): void {
    this.failuresSinceSuccess += 1
    if (this.opensAgainAtMs !== null) {
      if (this.probe === attempt) this.open(nowMs)
      return
    }
    this.#failuresInRow += 1
    this.#failedAtMs = nowMs
    if (this.#failuresInRow >= this.#parts.settings.failuresToOpen) this.open(nowMs)
  }

  /** Opens for a pause that doubles each time until it has worked for a while. */
  open(nowMs: number): void {
    const { shortestPauseMs, longestPauseMs } = this.#parts.settings
    const hasWorkedLong = this.isClosed && nowMs - this.#closedAtMs >= longestPauseMs
    if (hasWorkedLong) this.#timesOpened = 0
    const pauseMs = shortestPauseMs * 2 ** Math.min(this.#timesOpened, 30)
    // Jitter: candidates that failed together are not probed together.
    const shakenMs = pauseMs * (0.75 + 0.5 * this.#parts.random())
    this.#timesOpened += 1
    this.openFor(Math.min(longestPauseMs, Math.max(shortestPauseMs, shakenMs)), nowMs)
  }

  openFor(pauseMs: number, nowMs: number): void {
    this.opensAgainAtMs = nowMs + pauseMs
    this.#failedAtMs = nowMs
    this.#failuresInRow = 0
  }
}
