import type { Circuit } from '../../vocabulary/supply.ts'
import type { Random } from './candidate.ts'
import type { RoutingSettings } from './routing-settings.ts'

/** What a breaker needs to know besides what happens to it. */
export interface BreakerParts {
  readonly settings: RoutingSettings
  readonly random: Random
}

/**
 * Leaves alone what fails again and again. After a pause, one attempt at a time may find out whether it works; each
 * that fails makes the next pause longer.
 *
 * An attempt is known by an object of its own, so that the late failure of an older one is not taken for the probe's.
 */
export class CircuitBreaker {
  readonly #parts: BreakerParts
  #failuresInRow = 0
  #failuresSinceSuccess = 0
  #failedAtMs = Number.NEGATIVE_INFINITY
  #timesOpened = 0
  #closedAtMs = 0
  #opensAgainAtMs: number | null = null
  #probe: object | null = null
  #leaseEndsAtMs = 0

  constructor(parts: BreakerParts) {
    this.#parts = parts
  }

  get isClosed(): boolean {
    return this.#opensAgainAtMs === null
  }

  /** Other than the failures that open it, these are counted on while it is open. */
  get failuresSinceSuccess(): number {
    return this.#failuresSinceSuccess
  }

  /** null while closed. */
  get opensAgainAtMs(): number | null {
    return this.#opensAgainAtMs
  }

  stateAt(nowMs: number): Circuit {
    if (this.#opensAgainAtMs === null) return 'closed'
    return nowMs < this.#opensAgainAtMs ? 'open' : 'half-open'
  }

  /** Whether nobody is finding out already; only asked of a half-open circuit. */
  isProbeFree(nowMs: number): boolean {
    return this.#probe === null || nowMs >= this.#leaseEndsAtMs
  }

  /** Promises the probe to an attempt that is about to begin. */
  lease(attempt: object, nowMs: number): void {
    if (this.stateAt(nowMs) !== 'half-open') return
    this.#probe = attempt
    this.#leaseEndsAtMs = nowMs + this.#parts.settings.probeLeaseMs
  }

  /** An attempt begins. False: another one is already finding out. */
  begin(attempt: object, nowMs: number): boolean {
    if (this.stateAt(nowMs) !== 'half-open') return true
    if (this.#probe !== attempt && !this.isProbeFree(nowMs)) return false
    this.#probe = attempt
    this.#leaseEndsAtMs = Number.POSITIVE_INFINITY
    return true
  }

  /** The answer of a probe has begun. A client may take it as slowly as it likes, so it is not waited for without end. */
  lendProbe(attempt: object, nowMs: number): void {
    if (this.#probe === attempt) this.#leaseEndsAtMs = nowMs + this.#parts.settings.probeStreamMs
  }

  /** An attempt has ended, whatever became of it. Until then its probe is taken, even if others decide meanwhile. */
  release(attempt: object): void {
    if (this.#probe === attempt) this.#probe = null
  }

  /** An answer that began at this time has ended well; what has failed since then is not made good by it. */
  succeedFrom(begunAtMs: number, nowMs: number): void {
    if (begunAtMs >= this.#failedAtMs) this.succeed(nowMs)
  }

  succeed(nowMs: number): void {
    this.#failuresInRow = 0
    this.#failuresSinceSuccess = 0
    if (this.#opensAgainAtMs === null) return
    this.#closedAtMs = nowMs
    this.#opensAgainAtMs = null
  }

  fail(attempt: object, nowMs: number): void {
    this.#failuresSinceSuccess += 1
    if (this.#opensAgainAtMs !== null) {
      if (this.#probe === attempt) this.open(nowMs)
      return
    }
    this.#failuresInRow += 1
    this.#failedAtMs = nowMs
    if (this.#failuresInRow >= this.#parts.settings.failuresToOpen) this.open(nowMs)
  }

  /** Opens for a pause that doubles with each opening until it has worked for a while. */
  open(nowMs: number): void {
    const { shortestPauseMs, longestPauseMs } = this.#parts.settings
    const hasWorkedLong = this.isClosed && nowMs - this.#closedAtMs >= longestPauseMs
    if (hasWorkedLong) this.#timesOpened = 0
    const pauseMs = shortestPauseMs * 2 ** Math.min(this.#timesOpened, 30)
    // Without some chance, everything that failed together would be tried again together.
    const shakenMs = pauseMs * (0.75 + 0.5 * this.#parts.random())
    this.#timesOpened += 1
    this.openFor(Math.min(longestPauseMs, Math.max(shortestPauseMs, shakenMs)), nowMs)
  }

  openFor(pauseMs: number, nowMs: number): void {
    this.#opensAgainAtMs = nowMs + pauseMs
    this.#failedAtMs = nowMs
    this.#failuresInRow = 0
  }
}
