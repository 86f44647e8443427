import { type BreakerParts, CircuitBreaker } from './circuit-breaker.ts'
import { DecayedCount } from './decayed.ts'
import type { SupplierRemaining } from './supplier-headers.ts'

interface KeptRemaining {
  readonly requests: number | null
  readonly tokens: number | null
  readonly untilMs: number
}

// Used when a supplier reports nothing left without a reset time.
const UNSAID_RESET_SECONDS = 1

/** The health of one credential at its supplier, across all models. */
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

  /** null when the supplier has not asked to wait. */
  coolingUntilMs(nowMs: number): number | null {
    return this.#coolingUntilMs > nowMs ? this.#coolingUntilMs : null
  }

  /** The capacity the supplier reported, minus what was started since; null when unknown or outdated. */
  remainingAt(nowMs: number): { requests: number | null; tokens: number | null } | null {
    const kept = this.#remaining
    return kept !== null && kept.untilMs > nowMs ? { requests: kept.requests, tokens: kept.tokens } : null
  }

  /** Whether the supplier would probably refuse a prompt of this length, according to its last report. */
  isLikelySpent(promptTokens: number, nowMs: number): boolean {
    const kept = this.#remaining
    if (kept === null || kept.untilMs <= nowMs) return false
    return (
      (kept.requests !== null && kept.requests < 1) || (kept.tokens !== null && kept.tokens < promptTokens)
    )
  }

  /** The number of attempts in flight. */
  get attemptsUnderWay(): number {
    return this.#attemptsUnderWay
  }

  /** Its recent load. */
  recentLoadAt(nowMs: number): number {
    return this.#load.at(nowMs)
  }

  addLoad(amount: number, nowMs: number): void {
    this.#load.add(amount, nowMs)
  }

  /** Keeps a credential that was unavailable from receiving all traffic when it returns. */
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

  /** Whether any model has answered with it within the pause of a refused credential. */
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

  /** Records a rate limit of the supplier; null when it gave no retry time. */
  cool(askedSeconds: number | null, nowMs: number): void {
    const { coolingSeconds, longestCoolingSeconds } = this.#settings
    // Attempts in flight at the same time are refused together; they count as one refusal.
    const isRepeat = this.#coolingUntilMs <= nowMs
    const unsaidSeconds = coolingSeconds * 2 ** Math.max(0, this.#timesCooled - (isRepeat ? 0 : 1))
    if (isRepeat) this.#timesCooled = Math.min(this.#timesCooled + 1, 30)
    const isSaid = askedSeconds !== null && askedSeconds > 0
    this.#coolFor(isSaid ? askedSeconds : Math.min(unsaidSeconds, longestCoolingSeconds), nowMs)
  }

  /** Another node reported that this credential is cooling. */
  coolUntil(untilMs: number): void {
    this.#coolingUntilMs = Math.max(this.#coolingUntilMs, untilMs)
  }

  #coolFor(seconds: number, nowMs: number): void {
    const boundedSeconds = Math.min(seconds, this.#settings.longestAskedCoolingSeconds)
    this.#coolingUntilMs = Math.max(this.#coolingUntilMs, nowMs + boundedSeconds * 1_000)
  }
}
