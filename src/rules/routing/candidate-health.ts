import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { Circuit } from '../../vocabulary/supply.ts'
import { type BreakerParts, CircuitBreaker } from './circuit-breaker.ts'
import type { CredentialHealth } from './credential-health.ts'
import { type Assumption, DecayedMean } from './decayed.ts'

/** The facts about a failure that routing uses. */
export type RoutingFailure = Pick<SupplierFailure, 'kind' | 'status' | 'retryAfterSeconds' | 'isSuspected'>

/** Failures that say nothing about whether it answers. */
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
  readonly #latencyMs: DecayedMean
  readonly #success: DecayedMean

  constructor(supplierCircuit: CircuitBreaker, credential: CredentialHealth, parts: BreakerParts) {
    this.supplierCircuit = supplierCircuit
    this.credential = credential
    this.circuit = new CircuitBreaker(parts)
    this.#settings = parts.settings
    this.#latencyMs = new DecayedMean(parts.settings.memoryHalfLifeMs)
    this.#success = new DecayedMean(parts.settings.memoryHalfLifeMs)
  }

  get #circuits(): readonly CircuitBreaker[] {
    return [this.supplierCircuit, this.credential.circuit, this.circuit]
  }

  get isClosed(): boolean {
    return this.circuit.isClosed && this.supplierCircuit.isClosed && this.credential.circuit.isClosed
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
    this.supplierCircuit.release(attempt)
    this.credential.circuit.release(attempt)
    this.circuit.release(attempt)
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

  /** Records a complete answer. */
  noteAnswer(firstByteMs: number, nowMs: number): void {
    this.#noteReply(firstByteMs, nowMs)
    this.#noteWorking(nowMs)
  }

  /**
   * Records that an answer has begun; it may still break off. A candidate under probe is not trusted until the answer
   * ends, because all traffic would move there and could get broken answers.
   */
  noteBegun(firstByteMs: number, attempt: object, nowMs: number): void {
    this.#noteReply(firstByteMs, nowMs)
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
      this.circuit.succeedFrom(begunAtMs, nowMs)
      return
    }
    const wasClosed = this.circuit.isClosed
    for (const circuit of this.#circuits) circuit.succeedFrom(begunAtMs, nowMs)
    if (wasClosed || !this.circuit.isClosed) return
    this.#success.reset()
    this.#success.add(1, nowMs)
  }

  #noteReply(firstByteMs: number, nowMs: number): void {
    this.#latencyMs.add(firstByteMs, nowMs)
    this.#slowestMs = Math.max(firstByteMs, this.#slowestMs * SLOWEST_KEPT)
    this.#timeoutsInRow = 0
    this.credential.noteAnswer(nowMs)
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
        this.#noteWorking(nowMs)
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

  #noteWorking(nowMs: number): void {
    // Failures from before the pause say nothing about the present.
    if (!this.circuit.isClosed) this.#success.reset()
    this.#success.add(1, nowMs)
    this.supplierCircuit.succeed(nowMs)
    this.credential.circuit.succeed(nowMs)
    this.circuit.succeed(nowMs)
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
