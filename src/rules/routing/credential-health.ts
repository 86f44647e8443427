import { type BreakerParts, CircuitBreaker } from './circuit-breaker.ts'
import { DecayedCount } from './decayed.ts'
import type { SupplierRemaining } from './supplier-headers.ts'

interface KeptRemaining {
  readonly requests: number | null
  readonly tokens: number | null
  readonly untilMs: number
}

// A supplier that says nothing is left, but not when there will be more, is asked again soon.
const UNSAID_RESET_SECONDS = 1

/** How one credential stands with its supplier, whatever the model. */
export class CredentialHealth {
  /** Opens when the supplier refuses the credential itself. */
  readonly circuit: CircuitBreaker
  readonly #settings: BreakerParts['settings']
  readonly #load: DecayedCount
  #attemptsUnderWay = 0
  #coolingUntilMs = 0
  #timesCooled = 0
  #remaining: KeptRemaining | null = null
  #answeredAtMs = Number.NEGATIVE_INFINITY

  constructor(parts: BreakerParts) {
    this.circuit = new CircuitBreaker(parts)
    this.#settings = parts.settings
    this.#load = new DecayedCount(parts.settings.loadHalfLifeMs)
  }

  /** null when it may be used as far as the supplier has said. */
  coolingUntilMs(nowMs: number): number | null {
    return this.#coolingUntilMs > nowMs ? this.#coolingUntilMs : null
  }

  /** What the supplier said is left, less what was begun since; null when unsaid or out of date. */
  remainingAt(nowMs: number): { requests: number | null; tokens: number | null } | null {
    const kept = this.#remaining
    return kept !== null && kept.untilMs > nowMs ? { requests: kept.requests, tokens: kept.tokens } : null
  }

  /** Whether a prompt of this length would, by what the supplier said last, probably be refused. */
  isLikelySpent(promptTokens: number, nowMs: number): boolean {
    const kept = this.#remaining
    if (kept === null || kept.untilMs <= nowMs) return false
    return (
      (kept.requests !== null && kept.requests < 1) || (kept.tokens !== null && kept.tokens < promptTokens)
    )
  }

  /** How many attempts have not ended yet. */
  get attemptsUnderWay(): number {
    return this.#attemptsUnderWay
  }

  /** How much it was given to do lately. */
  recentLoadAt(nowMs: number): number {
    return this.#load.at(nowMs)
  }

  addLoad(amount: number, nowMs: number): void {
    this.#load.add(amount, nowMs)
  }

  /** Keeps one that was away from making up for all it missed at once. */
  raiseLoadTo(load: number, nowMs: number): void {
    this.#load.raiseTo(load, nowMs)
  }

  begin(): void {
    this.#attemptsUnderWay += 1
    const kept = this.#remaining
    if (kept?.requests != null) this.#remaining = { ...kept, requests: Math.max(0, kept.requests - 1) }
  }

  end(): void {
    this.#attemptsUnderWay = Math.max(0, this.#attemptsUnderWay - 1)
  }

  /** Whether any model has answered with it within the time that a refused one rests. */
  hasAnsweredLately(nowMs: number): boolean {
    return nowMs - this.#answeredAtMs < this.#settings.refusedPauseMs
  }

  noteAnswer(nowMs: number): void {
    this.#answeredAtMs = nowMs
    if (this.#coolingUntilMs <= nowMs) this.#timesCooled = 0
  }

  noteRemaining({ requests, tokens, resetSeconds }: SupplierRemaining, nowMs: number): void {
    const untilMs = nowMs + (resetSeconds ?? UNSAID_RESET_SECONDS) * 1_000
    this.#remaining = { requests, tokens, untilMs }
    if (requests === 0 || tokens === 0) this.#coolFor(resetSeconds ?? UNSAID_RESET_SECONDS, nowMs)
  }

  /** The supplier refused for lack of capacity; null when it did not say for how long. */
  cool(askedSeconds: number | null, nowMs: number): void {
    const { coolingSeconds, longestCoolingSeconds } = this.#settings
    // Attempts that were under way together are refused together, which is one refusal and not many.
    const isRepeat = this.#coolingUntilMs <= nowMs
    const unsaidSeconds = coolingSeconds * 2 ** Math.max(0, this.#timesCooled - (isRepeat ? 0 : 1))
    if (isRepeat) this.#timesCooled = Math.min(this.#timesCooled + 1, 30)
    const isSaid = askedSeconds !== null && askedSeconds > 0
    this.#coolFor(isSaid ? askedSeconds : Math.min(unsaidSeconds, longestCoolingSeconds), nowMs)
  }

  /** Others have been told to leave it alone. */
  coolUntil(untilMs: number): void {
    this.#coolingUntilMs = Math.max(this.#coolingUntilMs, untilMs)
  }

  #coolFor(seconds: number, nowMs: number): void {
    const boundedSeconds = Math.min(seconds, this.#settings.longestAskedCoolingSeconds)
    this.#coolingUntilMs = Math.max(this.#coolingUntilMs, nowMs + boundedSeconds * 1_000)
  }
}
