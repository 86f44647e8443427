import { LimitsSilent } from './limits-errors.ts'

// Precise enough for the deadline, and cheap.
const TICKS_PER_DEADLINE = 10

// After this long without an answer, the connection is probably dead.
const GIVE_UP_MS = 2_000

export interface OpenCall {
  fail(error: Error): void
}

export interface SilenceRules {
  readonly deadlineMs: number
  /** Called once per silence that lasts too long. */
  readonly onGivenUp: () => void
}

/**
 * Detects that a connection has gone silent: calls are open, and no answer at all arrived within the deadline.
 *
 * Only time in which this process could have read an answer counts. A tick adds its own period, however late it fires, so
 * a stalled event loop does not look like a silent Redis. Answers arrive in order, so any answer shows that the others
 * are on their way.
 */
export class SilenceWatch {
  readonly #rules: SilenceRules
  readonly #tickMs: number
  readonly #open = new Set<OpenCall>()
  // Includes failed calls: the connection is silent until their answers arrive.
  #unanswered = 0
  #silentMs = 0
  #isTicking = false
  #hasGivenUp = false

  constructor(rules: SilenceRules) {
    this.#rules = rules
    this.#tickMs = Math.max(1, Math.round(rules.deadlineMs / TICKS_PER_DEADLINE))
  }

  /** Call after sending. The call fails when no answer arrives in time; ignore later answers. */
  begin(call: OpenCall): void {
    this.#open.add(call)
    if (this.#unanswered++ === 0) this.#reset()
    if (!this.#isTicking) this.#tickLater()
  }

  /** Call when the answer arrives or the connection is lost. */
  end(call: OpenCall): void {
    this.#open.delete(call)
    this.#unanswered--
    this.#reset()
  }

  #reset(): void {
    this.#silentMs = 0
    this.#hasGivenUp = false
  }

  #tickLater(): void {
    this.#isTicking = true
    // Not an interval: it could fire twice without anything being read in between.
    setTimeout(() => this.#tick(), this.#tickMs).unref()
  }

  #tick(): void {
    if (this.#unanswered === 0) {
      this.#isTicking = false
      return
    }
    this.#silentMs += this.#tickMs
    // The first tick may fire right after the call, so one more is added.
    if (this.#silentMs > this.#rules.deadlineMs + this.#tickMs) this.#failAfterOneMoreLook()
    // Never before the deadline: giving up fails every call that still has time.
    if (this.#silentMs > Math.max(GIVE_UP_MS, this.#rules.deadlineMs) && !this.#hasGivenUp) {
      this.#hasGivenUp = true
      this.#rules.onGivenUp()
    }
    this.#tickLater()
  }

  /** Arrived answers are read between the two steps. */
  #failAfterOneMoreLook(): void {
    setImmediate(() => setImmediate(() => this.#failIfStillSilent()))
  }

  #failIfStillSilent(): void {
    if (this.#silentMs <= this.#rules.deadlineMs) return
    const calls = [...this.#open]
    this.#open.clear()
    const error = new LimitsSilent(this.#rules.deadlineMs)
    for (const call of calls) call.fail(error)
  }
}
