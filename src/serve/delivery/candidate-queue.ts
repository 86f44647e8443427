import { GatewayError } from '../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import { applicableRates } from '../../rules/ledger/rates.ts'
import type { Candidate } from '../../rules/routing/candidate.ts'
import { isPending, type MaybePromise } from '../../vocabulary/runtime/maybe-promise.ts'
import type { Admission } from '../admission/admission.ts'
import { capacityWindows } from '../admission/capacity.ts'
import { type PreparedRequest, stepsOf, type Target } from '../admission/prepared-request.ts'
import type { Family } from '../families/family.ts'
import type { Gateway } from '../gateway.ts'
import type { Choice, WindowDemand } from '../ports/admissions.ts'
import type { CallPlan } from './call-plan.ts'
import { isWorthAnotherTry } from './supplier-failures.ts'

// More attempts would only make the client wait longer for the same error.
export const MAX_ATTEMPTS = 3

// Weighs input prices against output prices when the client sets no limit.
const USUAL_OUTPUT_TOKENS = 512

/** A candidate that is ready to be called: the call is planned and its capacity taken. */
export interface ReadyCandidate {
  readonly candidate: Candidate
  readonly plan: CallPlan
  /** Why it is called, if not for the reason that gave it its place. */
  readonly reason?: string
}

/** What has prevented an answer so far. */
export interface AttemptFailures {
  failure: SupplierFailure | null
  /** A candidate's format cannot express the request. */
  planError: GatewayError | null
  /** When the first of the candidates without capacity has some again; infinite when none lacked it. */
  freeInSeconds: number
  /** Whether there were more candidates than attempts. */
  hasUntried: boolean
}

export interface DeliveryParts<Prepared extends PreparedRequest = PreparedRequest> {
  readonly admission: Admission<Prepared>
  readonly gateway: Gateway
  readonly family: Pick<Family<unknown, unknown, Prepared>, 'plan'>
}

/** The candidates in the order in which to try them. Those that cannot be called are noted and skipped. */
export class CandidateQueue {
  readonly failures: AttemptFailures
  readonly #parts: DeliveryParts
  /** The model whose candidates are tried now. */
  #step: Target
  /** How many attempts there were before it. */
  #attemptsBefore = 0
  #candidates: readonly Candidate[]
  #index = 0
  /** The place of a candidate whose capacity is taken before its turn. */
  #reserved: number | null = null

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    this.#step = parts.admission.prepared.target
    this.failures = {
      failure: null,
      planError: null,
      freeInSeconds: Number.POSITIVE_INFINITY,
      hasUntried: false,
    }
    this.#candidates = this.#order()
  }

  #order(): readonly Candidate[] {
    const { admission, gateway } = this.#parts
    const { protocol, request } = admission.prepared
    const { model, routes } = this.#step
    const { candidates, freeInSeconds } = gateway.router.order({
      modelId: model.id,
      routes,
      clientFormat: protocol.name,
      conversation: admission.conversation,
      promptTokens: admission.promptTokens,
      outputTokens: request.facts.maxOutputTokens ?? USUAL_OUTPUT_TOKENS,
      ratesOf:
        routes.length > 1 && routes.some(({ price }) => price.variants !== undefined)
          ? (price) => applicableRates(price, admission.priceFacts())
          : undefined,
    })
    if (freeInSeconds !== null)
      this.failures.freeInSeconds = Math.min(this.failures.freeInSeconds, freeInSeconds)
    return candidates
  }

  /** Goes on to the next model of an alias; false when there is none. */
  #nextStep(): boolean {
    const { next } = this.#step
    if (next === undefined) return false
    this.#step = next
    this.#attemptsBefore = this.#parts.admission.attempts.length
    this.#index = 0
    this.#reserved = null
    this.#candidates = this.#order()
    return true
  }

  /** Whether candidates of this model may still be tried. Each later model of an alias has an attempt left for it. */
  #mayTry(): boolean {
    const { attempts, prepared } = this.#parts.admission
    if (prepared.target.next === undefined) return attempts.length < MAX_ATTEMPTS
    const most = Math.max(MAX_ATTEMPTS, stepsOf(prepared.target).length)
    return attempts.length <= most - stepsOf(this.#step).length
  }

  /** Waits only when something must be fetched for the plan, or when capacity is shared with other nodes. */
  next(): MaybePromise<ReadyCandidate | null> {
    const { admission } = this.#parts
    // Without time for an answer, a call would only look as if the supplier had failed.
    while (admission.remainingMs() > 0) {
      const candidate = this.#mayTry() ? this.#candidates[this.#index] : undefined
      if (candidate === undefined) {
        if (this.#nextStep()) continue
        break
      }
      const place = this.#index++
      const plan = this.#plan(candidate)
      const ready = isPending(plan)
        ? plan.then((planned) => this.#begin(place, candidate, planned))
        : this.#begin(place, candidate, plan)
      if (isPending(ready)) return ready.then((begun) => begun ?? this.next())
      if (ready !== null) return ready
    }
    this.failures.hasUntried = this.#index < this.#candidates.length
    return null
  }

  /** Notes the failure of an attempt. Returns whether another candidate may still answer. */
  noteFailure(failure: SupplierFailure, { route }: Candidate): boolean {
    this.failures.failure = failure
    if (failure.kind === 'denied') {
      // The supplier has refused the request itself; with another credential it would refuse it again.
      this.#candidates = this.#candidates.filter(
        (each, place) => place < this.#index || each.route.supplier.id !== route.supplier.id,
      )
    }
    return isWorthAnotherTry(failure)
  }

  /** null when the candidate's format cannot express the request. */
  #plan(candidate: Candidate): MaybePromise<CallPlan | null> {
    const { admission, gateway, family } = this.#parts
    try {
      const plan = family.plan(admission, candidate, gateway)
      return isPending(plan) ? plan.catch((error) => this.#notePlanError(error)) : plan
    } catch (error) {
      return this.#notePlanError(error)
    }
  }

  #notePlanError(error: unknown): null {
    if (!(error instanceof GatewayError)) throw error
    this.failures.planError ??= error
    return null
  }

  /** null when the candidate cannot be called after all. */
  #begin(place: number, candidate: Candidate, plan: CallPlan | null): MaybePromise<ReadyCandidate | null> {
    const { admission, gateway } = this.#parts
    const { model } = this.#step
    if (plan === null || !gateway.router.begin(candidate, model.id)) return null
    const ready = { candidate, plan }
    if (this.#reserved === place) return ready
    const demand = {
      model,
      tokens: admission.tokens,
      copies: plan.copies,
      isFirst: admission.attempts.length === this.#attemptsBefore,
    }
    const windows = capacityWindows(candidate, demand)
    if (windows.length === 0) return ready
    // Where limits are shared, each question costs a round trip, so all remaining candidates are part of this one.
    const later = this.#candidates.slice(place + 1).map((each) => capacityWindows(each, demand))
    return this.#takeFirst([windows, ...later], ready, place)
  }

  /** Takes capacity of the first candidate that has some, which is the next one to try. */
  #takeFirst(
    options: readonly (readonly WindowDemand[])[],
    ready: ReadyCandidate,
    place: number,
  ): MaybePromise<ReadyCandidate | null> {
    const choice = this.#parts.gateway.admissions.takeFirst(options)
    if (isPending(choice)) return choice.then((made) => (this.#isTaken(made, ready, place) ? ready : null))
    return this.#isTaken(choice, ready, place) ? ready : null
  }

  #isTaken(choice: Choice, { candidate }: ReadyCandidate, place: number): boolean {
    if (choice.taken === 0) return true
    if (choice.taken === null) {
      this.#index = this.#candidates.length
      this.failures.freeInSeconds = Math.min(this.failures.freeInSeconds, ...choice.retryAfterSeconds)
    } else {
      this.#reserved = place + choice.taken
      this.#index = this.#reserved
    }
    const { gateway } = this.#parts
    const { modelId } = candidate.route.route
    gateway.router.end({ candidate, modelId, result: { type: 'abandoned' } })
    return false
  }
}
