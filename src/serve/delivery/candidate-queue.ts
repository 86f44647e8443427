import { GatewayError } from '../../errors/gateway-error.ts'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import type { Candidate } from '../../rules/routing/candidate.ts'
import type { RoutingOrder } from '../../rules/routing/router.ts'
import type { Admission } from '../admission/admission.ts'
import { capacityWindows } from '../admission/capacity.ts'
import type { Gateway } from '../gateway.ts'
import type { CallPlan } from '../families/text/lanes/lane-plan.ts'
import type { Choice } from '../ports/admissions.ts'
import { isWorthAnotherTry } from './supplier-failures.ts'

// More tries would only add to the time a client waits for the same bad news.
export const MAX_ATTEMPTS = 3

/** A candidate whose attempt has begun: what to send it is known and its capacity has been taken. */
export interface ReadyCandidate {
  readonly candidate: Candidate
  readonly plan: CallPlan
  /** Why it is asked, when that is not why it stood where it stood. */
  readonly reason?: string
}

/** What has stood in the way of an answer so far. */
export interface AttemptFailures {
  failure: SupplierFailure | null
  /** What the client wants cannot be said in a candidate's format. */
  planError: GatewayError | null
  /** When the first of the candidates without capacity has some again; infinite when none lacked it. */
  freeInSeconds: number
  /** Whether there were more candidates than may be tried. */
  hasUntried: boolean
}

/** What to send to a candidate. Throws a GatewayError when what the client wants cannot be said to it. */
export type PlanFor = (candidate: Candidate) => CallPlan | Promise<CallPlan>

export interface LineParts {
  readonly admission: Admission
  readonly gateway: Gateway
  readonly planFor: PlanFor
}

const AT_HAND: Choice = { taken: 0 }

type Turn = ReadyCandidate | null | Promise<ReadyCandidate | null>

/** The candidates in the order in which to try them. Those that cannot be asked are noted and passed over. */
export class CandidateQueue {
  readonly failures: AttemptFailures
  readonly #parts: LineParts
  #candidates: readonly Candidate[]
  #index = 0
  /** The place of a candidate whose capacity is taken before its turn. */
  #reserved: number | null = null

  constructor({ candidates, freeInSeconds }: RoutingOrder, parts: LineParts) {
    this.#candidates = candidates
    this.#parts = parts
    this.failures = {
      failure: null,
      planError: null,
      freeInSeconds: freeInSeconds ?? Number.POSITIVE_INFINITY,
      hasUntried: false,
    }
  }

  /** A promise only where something must be fetched for the plan, or capacity is shared with other nodes. */
  next(): Turn {
    while (this.#mayTryMore()) {
      const place = this.#index++
      const candidate = this.#candidates[place]
      if (candidate === undefined) return null
      const planned = this.#plan(candidate)
      const begun =
        planned instanceof Promise
          ? planned.then((plan) => this.#begin(place, candidate, plan))
          : this.#begin(place, candidate, planned)
      if (begun instanceof Promise) return begun.then((ready) => ready ?? this.next())
      if (begun !== null) return begun
    }
    this.failures.hasUntried = this.#index < this.#candidates.length
    return null
  }

  /** Notes what became of an attempt. Whether another candidate may still answer. */
  noteFailure(failure: SupplierFailure, { route }: Candidate): boolean {
    this.failures.failure = failure
    if (failure.kind === 'denied') this.#leaveOut(route.supplier.id)
    return isWorthAnotherTry(failure)
  }

  /** This supplier has refused the request itself: with another of its credentials it would refuse it again. */
  #leaveOut(supplierId: string): void {
    this.#candidates = this.#candidates.filter(
      ({ route }, place) => place < this.#index || route.supplier.id !== supplierId,
    )
  }

  /** A call that has no time to be answered would only look as if the supplier had failed. */
  #mayTryMore(): boolean {
    const { admission } = this.#parts
    return admission.attempts.length < MAX_ATTEMPTS && admission.remainingMs() > 0
  }

  /** null when it cannot be asked after all. */
  #begin(place: number, candidate: Candidate, plan: CallPlan | null): Turn {
    const { admission, gateway } = this.#parts
    if (plan === null || !gateway.router.begin(candidate, admission.prepared.target.model.id)) return null
    const choice = this.#takeCapacity(place, candidate, plan)
    const ready = { candidate, plan }
    if (choice instanceof Promise) {
      return choice.then((made) => (this.#hasBegun(place, candidate, made) ? ready : null))
    }
    return this.#hasBegun(place, candidate, choice) ? ready : null
  }

  #hasBegun(place: number, candidate: Candidate, choice: Choice): boolean {
    if (choice.taken === 0) return true
    if (choice.taken === null) {
      this.#index = this.#candidates.length
      this.failures.freeInSeconds = Math.min(this.failures.freeInSeconds, ...choice.retryAfterSeconds)
    } else {
      this.#reserved = place + choice.taken
      this.#index = this.#reserved
    }
    const { admission, gateway } = this.#parts
    const modelId = admission.prepared.target.model.id
    gateway.router.end({ candidate, modelId, result: { type: 'abandoned' } })
    return false
  }

  #plan(candidate: Candidate): CallPlan | null | Promise<CallPlan | null> {
    try {
      const plan = this.#parts.planFor(candidate)
      return plan instanceof Promise ? plan.catch((error) => this.#noteUnspeakable(error)) : plan
    } catch (error) {
      return this.#noteUnspeakable(error)
    }
  }

  /**
   * All candidates that are left are asked for at once: where limits are shared, each question takes a journey. The
   * first that has room is the next to be tried.
   */
  #takeCapacity(place: number, candidate: Candidate, plan: CallPlan): Choice | Promise<Choice> {
    if (this.#reserved === place) return AT_HAND
    const { admission, gateway } = this.#parts
    const windows = capacityWindows(admission, candidate, plan)
    if (windows.length === 0) return AT_HAND
    const later = this.#candidates.slice(place + 1).map((each) => capacityWindows(admission, each, plan))
    return gateway.admissions.takeFirst([windows, ...later])
  }

  #noteUnspeakable(error: unknown): null {
    if (!(error instanceof GatewayError)) throw error
    this.failures.planError ??= error
    return null
  }
}
