import { LimitsSilent } from './limits-errors.ts'

// Fine enough to be near the deadline, coarse enough to cost nothing.
const TICKS_PER_DEADLINE = 10

// A connection that is silent for so long may lead nowhere; a new one finds out.
const GIVE_UP_MS = 2_000

export interface OpenCall {
  fail(error: Error): void
}

export interface SilenceRules {
  readonly deadlineMs: number
  /** Called once per silence that does not end. */
  readonly onGivenUp: () => void
}

/**
 * Notices that one connection has gone silent: something was asked, and nothing at all came back for the deadline.
 *
 * Only time in which this process could have read an answer counts. A tick adds its own period, however late it comes,
 * so a stalled event loop looks to nobody like a silent Redis; and as answers come in order, any one of them shows that
 * the others are on their way.
 */
export class SilenceWatch {
  readonly #rules: SilenceRules
  readonly #tickMs: number
  readonly #open = new Set<OpenCall>()
  // Also counts what was given up: as long as its answer is missing, the connection is silent.
  #unanswered = 0
  #silentMs = 0
  #isTicking = false
  #hasGivenUp = false

  constructor(rules: SilenceRules) {
    this.#rules = rules
    this.#tickMs = Math.max(1, Math.round(rules.deadlineMs / TICKS_PER_DEADLINE))
  }

  /** Something was asked. It is told when there is no answer in time; whatever comes after that is to be ignored. */
  begin(call: OpenCall): void {
    this.#open.add(call)
    if (this.#unanswered++ === 0) this.#hear()
    if (!this.#isTicking) this.#tickLater()
  }

  /** What was asked was answered, or its connection was lost. */
  end(call: OpenCall): void {
    this.#open.delete(call)
    this.#unanswered--
    this.#hear()
  }

  #hear(): void {
    this.#silentMs = 0
    this.#hasGivenUp = false
  }

  #tickLater(): void {
    this.#isTicking = true
    // Made anew each time, because a repeating timer may come twice without anything being read in between.
    setTimeout(() => this.#tick(), this.#tickMs).unref()
  }

  #tick(): void {
    if (this.#unanswered === 0) {
      this.#isTicking = false
      return
    }
    this.#silentMs += this.#tickMs
    // The first tick may come soon after the call, so one more is waited for.
    if (this.#silentMs > this.#rules.deadlineMs + this.#tickMs) this.#failAfterOneMoreLook()
    // Never before the deadline: giving up fails every call that still has time.
    if (this.#silentMs > Math.max(GIVE_UP_MS, this.#rules.deadlineMs) && !this.#hasGivenUp) {
      this.#hasGivenUp = true
      this.#rules.onGivenUp()
    }
    this.#tickLater()
  }

  /** What has arrived is read between the two steps. */
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
