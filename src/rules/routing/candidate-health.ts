import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { Circuit } from '../../vocabulary/supply.ts'
import { type BreakerParts, CircuitBreaker } from './circuit-breaker.ts'
import type { SupplierRemaining } from './supplier-headers.ts'

/** The facts about a failure that routing uses. */
export type RoutingFailure = Pick<SupplierFailure, 'kind' | 'status' | 'retryAfterSeconds' | 'isSuspected'>

/** Failures that do not show whether the supplier answers. */
const SAYS_NOTHING: ReadonlySet<RoutingFailure['kind']> = new Set(['timeout', 'unreachable', 'local'])
// After about seventy answers, a slow one counts half.
const SLOWEST_KEPT = 0.99

// A candidate without recent attempts is assumed to work; otherwise it would never be tried again.
const THOUGHT_TO_WORK: Assumption = { value: 1, weight: 4 }
const ASSUMED_LATENCY_WEIGHT = 0.25

/**
 * The health of one model with one credential. Three circuits decide whether it is used: the supplier's (can it be
 * reached at all), the credential's (is it accepted) and its own (does this model work with it).
 */
export class CandidateHealth {
  readonly supplierCircuit: CircuitBreaker
  readonly credential: CredentialHealth
  readonly circuit: CircuitBreaker
  usedAtMs = 0
  #timeoutsInRow = 0
  /** The longest recent time to first byte; fades with each answer. */
  #slowestMs = 0
  readonly #settings: BreakerParts['settings']
  readonly #latencyMs: DecayedSum
  readonly #success: DecayedSum

  constructor(supplierCircuit: CircuitBreaker, credential: CredentialHealth, parts: BreakerParts) {
    this.supplierCircuit = supplierCircuit
    this.credential = credential
    this.circuit = new CircuitBreaker(parts)
    this.#settings = parts.settings
    this.#latencyMs = new DecayedSum(parts.settings.memoryHalfLifeMs)
    this.#success = new DecayedSum(parts.settings.memoryHalfLifeMs)
  }

  get #circuits(): readonly CircuitBreaker[] {
    return [this.supplierCircuit, this.credential.circuit, this.circuit]
  }

  get isClosed(): boolean {
    return (
      this.circuit.opensAgainAtMs === null &&
      this.supplierCircuit.opensAgainAtMs === null &&
      this.credential.circuit.opensAgainAtMs === null
    )
  }

  /** The worst state of the three circuits. */
  circuitAt(nowMs: number): Circuit {
    const states = this.#circuits.map((circuit) => circuit.stateAt(nowMs))
    if (states.includes('open')) return 'open'
    return states.includes('half-open') ? 'half-open' : 'closed'
  }

  /** When the last of the three circuits allows a probe; null while all are closed. */
  get opensAgainAtMs(): number | null {
    const times = this.#circuits.flatMap(({ opensAgainAtMs }) => opensAgainAtMs ?? [])
    return times.length === 0 ? null : Math.max(...times)
  }

  /** Whether a request may probe it now. */
  isProbeFree(nowMs: number): boolean {
    return this.#circuits.every(
      (circuit) => circuit.isClosed || (circuit.stateAt(nowMs) === 'half-open' && circuit.isProbeFree(nowMs)),
    )
  }

  leaseProbe(attempt: object, nowMs: number): void {
    for (const circuit of this.#circuits) circuit.lease(attempt, nowMs)
  }

  /** Claims the probe of every half-open circuit. Returns false when another request holds one of them. */
  beginProbe(attempt: object, nowMs: number): boolean {
    const isMine = this.#circuits.every((circuit) => circuit.begin(attempt, nowMs))
    if (!isMine) this.endProbe(attempt)
    return isMine
  }

  /** Releases the probes of an attempt that has ended or never began. */
  endProbe(attempt: object): void {
    if (this.supplierCircuit.probe !== null) this.supplierCircuit.release(attempt)
    if (this.credential.circuit.probe !== null) this.credential.circuit.release(attempt)
    if (this.circuit.probe !== null) this.circuit.release(attempt)
  }

  get latencyMs(): number | null {
    return this.#latencyMs.mean
  }

  /** Recent latency; the older the measurement, the closer the result is to the fastest known latency. */
  latencyNear(fastestMs: number, nowMs: number): number {
    return this.#latencyMs.leaningTo({ value: fastestMs, weight: ASSUMED_LATENCY_WEIGHT }, nowMs)
  }

  successRate(nowMs: number): number {
    return this.#success.leaningTo(THOUGHT_TO_WORK, nowMs)
  }

  /** A shorter timeout after several timeouts in a row; null for the usual timeout. */
  get shortenedWaitMs(): number | null {
    const { timeoutsToShorten, shortestWaitMs, waitPatience } = this.#settings
    const isHanging =
      this.#timeoutsInRow >= timeoutsToShorten ||
      this.supplierCircuit.failuresSinceSuccess >= timeoutsToShorten
    return isHanging ? Math.max(shortestWaitMs, waitPatience * this.#slowestMs) : null
  }

  /** Records how fast an answer began. Call `noteWorking` or `noteBegun` next. */
  noteReply(firstByteMs: number, nowMs: number): void {
    this.#latencyMs.add(firstByteMs, nowMs)
    this.#slowestMs = Math.max(firstByteMs, this.#slowestMs * SLOWEST_KEPT)
    this.#timeoutsInRow = 0
  }

  /** Records a complete answer. */
  noteWorking(nowMs: number): void {
    // Failures from before the pause say nothing about the present.
    if (this.circuit.opensAgainAtMs !== null) this.#success.reset()
    this.#success.add(1, nowMs)
    this.supplierCircuit.succeed(nowMs)
    this.credential.circuit.succeed(nowMs)
    this.circuit.succeed(nowMs)
  }

  /**
   * Records that an answer has begun; it may still break off. A candidate under probe is not trusted until the answer
   * ends, because all traffic would move there and could get broken answers.
   */
  noteBegun(attempt: object, nowMs: number): void {
    if (!this.isClosed) {
      for (const circuit of this.#circuits) circuit.lendProbe(attempt, nowMs)
      return
    }
    this.#success.add(1, nowMs)
    this.supplierCircuit.succeed(nowMs)
  }

  /** Records the successful end of an answer that began at this time. */
  noteEnded(begunAtMs: number, nowMs: number): void {
    if (this.isClosed) {
      this.circuit.succeed(nowMs, begunAtMs)
      return
    }
    const wasClosed = this.circuit.isClosed
    for (const circuit of this.#circuits) circuit.succeed(nowMs, begunAtMs)
    if (wasClosed || !this.circuit.isClosed) return
    this.#success.reset()
    this.#success.add(1, nowMs)
  }

  noteFailure(failure: RoutingFailure, attempt: object, nowMs: number): void {
    if (failure.kind === 'timeout') this.#timeoutsInRow += 1
    else if (!SAYS_NOTHING.has(failure.kind)) this.#timeoutsInRow = 0
    switch (failure.kind) {
      case 'local':
        break
      case 'denied':
        this.supplierCircuit.succeed(nowMs)
        break
      case 'input':
      case 'context-length':
        this.noteWorking(nowMs)
        break
      case 'rate-limited':
        this.supplierCircuit.succeed(nowMs)
        this.credential.cool(failure.retryAfterSeconds, nowMs)
        break
      case 'credential':
        this.supplierCircuit.succeed(nowMs)
        if (failure.isSuspected !== true) this.rest(this.credential.circuit, nowMs)
        break
      case 'unreachable':
      case 'timeout':
        this.#noteNoReply(attempt, nowMs)
        break
      case 'overloaded':
        if (failure.retryAfterSeconds !== null) this.credential.cool(failure.retryAfterSeconds, nowMs)
        this.#noteBroken(attempt, nowMs)
        break
      case 'server':
      case 'malformed':
        this.#noteBroken(attempt, nowMs)
        break
    }
  }

  /** Opens the circuit for problems that only an operator or the supplier can fix. */
  rest(circuit: CircuitBreaker, nowMs: number): void {
    circuit.openFor(this.#settings.refusedPauseMs, nowMs)
  }

  /** Records a reply that was a failure. */
  #noteBroken(attempt: object, nowMs: number): void {
    this.supplierCircuit.succeed(nowMs)
    this.#countFailure(attempt, nowMs)
  }

  /** Failures of an unreachable supplier do not count against this model and credential. */
  #noteNoReply(attempt: object, nowMs: number): void {
    const wasReachable = this.supplierCircuit.isClosed
    this.supplierCircuit.fail(attempt, nowMs)
    if (wasReachable) this.#countFailure(attempt, nowMs)
  }

  #countFailure(attempt: object, nowMs: number): void {
    this.#success.add(0, nowMs)
    this.circuit.fail(attempt, nowMs)
    const { attemptsToJudge, badSuccessRate } = this.#settings
    const isJudged = this.#success.weightAt(nowMs) >= attemptsToJudge
    if (this.circuit.isClosed && isJudged && (this.#success.mean ?? 1) <= badSuccessRate)
      this.circuit.open(nowMs)
  }
}

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
  readonly #load: DecayedSum
  /** The number of attempts in flight. */
  attemptsUnderWay = 0
  /** In the past when the supplier has not asked to wait. */
  coolingEndsAtMs = 0
  #timesCooled = 0
  #remaining: KeptRemaining | null = null
  #answeredAtMs = Number.NEGATIVE_INFINITY

  constructor(parts: BreakerParts) {
    this.circuit = new CircuitBreaker(parts)
    this.#settings = parts.settings
    this.#load = new DecayedSum(parts.settings.loadHalfLifeMs)
  }

  /** null when the supplier has not asked to wait. */
  coolingUntilMs(nowMs: number): number | null {
    return this.coolingEndsAtMs > nowMs ? this.coolingEndsAtMs : null
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

  /** Begins an attempt. `load` is 0 when it was already counted. */
  begin(load: number, nowMs: number): void {
    this.attemptsUnderWay += 1
    if (load > 0) this.#load.add(load, nowMs)
    const kept = this.#remaining
    if (kept?.requests != null) this.#remaining = { ...kept, requests: Math.max(0, kept.requests - 1) }
  }

  end({ hasAnswered }: { readonly hasAnswered: boolean }, nowMs: number): void {
    this.attemptsUnderWay = Math.max(0, this.attemptsUnderWay - 1)
    if (!hasAnswered) return
    this.#answeredAtMs = nowMs
    if (this.coolingEndsAtMs <= nowMs) this.#timesCooled = 0
  }

  /** Whether any model has answered with it within the pause of a refused credential. */
  hasAnsweredLately(nowMs: number): boolean {
    return nowMs - this.#answeredAtMs < this.#settings.refusedPauseMs
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
    const isRepeat = this.coolingEndsAtMs <= nowMs
    const unsaidSeconds = coolingSeconds * 2 ** Math.max(0, this.#timesCooled - (isRepeat ? 0 : 1))
    if (isRepeat) this.#timesCooled = Math.min(this.#timesCooled + 1, 30)
    const isSaid = askedSeconds !== null && askedSeconds > 0
    this.#coolFor(isSaid ? askedSeconds : Math.min(unsaidSeconds, longestCoolingSeconds), nowMs)
  }

  /** Another node reported that this credential is cooling. */
  coolUntil(untilMs: number): void {
    this.coolingEndsAtMs = Math.max(this.coolingEndsAtMs, untilMs)
  }

  #coolFor(seconds: number, nowMs: number): void {
    const boundedSeconds = Math.min(seconds, this.#settings.longestAskedCoolingSeconds)
    this.coolingEndsAtMs = Math.max(this.coolingEndsAtMs, nowMs + boundedSeconds * 1_000)
  }
}

/** A sum and a mean with exponential decay: a value one half-life ago weighs half. */
export class DecayedSum {
  readonly #halfLifeMs: number
  #sum = 0
  #weight = 0
  #atMs = 0

  constructor(halfLifeMs: number) {
    this.#halfLifeMs = halfLifeMs
  }

  add(value: number, nowMs: number): void {
    const kept = this.#keptShare(nowMs)
    this.#sum = this.#sum * kept + value
    this.#weight = this.#weight * kept + 1
    this.#atMs = nowMs
  }

  raiseTo(sum: number, nowMs: number): void {
    const present = this.at(nowMs)
    if (sum > present) this.add(sum - present, nowMs)
  }

  reset(): void {
    this.#sum = 0
    this.#weight = 0
  }

  at(nowMs: number): number {
    return this.#sum * this.#keptShare(nowMs)
  }

  /** null when nothing was ever added. */
  get mean(): number | null {
    return this.#weight === 0 ? null : this.#sum / this.#weight
  }

  /** How many recent values stand behind the mean. */
  weightAt(nowMs: number): number {
    return this.#weight * this.#keptShare(nowMs)
  }

  /** The mean, pulled towards an assumption; the older or fewer the values, the stronger the pull. */
  leaningTo(assumed: Assumption, nowMs: number): number {
    if (this.#weight === 0) return assumed.value
    const kept = this.#keptShare(nowMs)
    return (this.#sum * kept + assumed.value * assumed.weight) / (this.#weight * kept + assumed.weight)
  }

  /** A clock that steps back must not make the past count more than the present. */
  #keptShare(nowMs: number): number {
    const elapsedMs = nowMs - this.#atMs
    return elapsedMs <= 0 ? 1 : 2 ** (-elapsedMs / this.#halfLifeMs)
  }
}

export interface Assumption {
  readonly value: number
  readonly weight: number
}
