import { GatewayError } from '../errors/gateway-error.ts'
import type { SupplierFailure } from '../errors/supplier-failure.ts'
import type { Candidate } from '../rules/routing/order-candidates.ts'
import type { Admission } from './admission.ts'
import { capacityWindows } from './capacity.ts'
import type { Gateway } from './gateway.ts'
import type { CallPlan } from './lane-plan.ts'

// More tries would only add to the time a client waits for the same bad news.
export const MOST_ATTEMPTS = 3

/** A candidate whose attempt has begun: what to send it is known and its capacity has been taken. */
export interface ReadyCandidate {
  readonly candidate: Candidate
  readonly plan: CallPlan
  /** Why it is asked, when that is not why it stood where it stood. */
  readonly reason?: string
}

/** What has stood in the way of an answer so far. */
export interface Troubles {
  failure: SupplierFailure | null
  /** What the client wants cannot be said in a candidate's format. */
  unspeakable: GatewayError | null
  /** When the first of the candidates without capacity has some again; infinite when none lacked it. */
  freeInSeconds: number
  /** Whether there were more candidates than may be tried. */
  hasUntried: boolean
}

/** What to send to a candidate. Throws a GatewayError when what the client wants cannot be said to it. */
export type PlanFor = (candidate: Candidate) => Promise<CallPlan>

export interface LineParts {
  readonly admission: Admission
  readonly gateway: Gateway
  readonly planFor: PlanFor
  /** What routing already left out. */
  readonly freeInSeconds: number | null
}

/** The candidates in the order in which to try them. Those that cannot be asked are noted and passed over. */
export class CandidateLine {
  readonly troubles: Troubles
  readonly #parts: LineParts
  readonly #candidates: readonly Candidate[]
  #index = 0
  /** The place of a candidate whose capacity is taken before its turn. */
  #reserved: number | null = null

  constructor(candidates: readonly Candidate[], parts: LineParts) {
    this.#candidates = candidates
    this.#parts = parts
    const freeInSeconds = parts.freeInSeconds ?? Number.POSITIVE_INFINITY
    this.troubles = { failure: null, unspeakable: null, freeInSeconds, hasUntried: false }
  }

  async next(): Promise<ReadyCandidate | null> {
    const { admission } = this.#parts
    for (;;) {
      // A call that has no time to be answered would only look as if the supplier had failed.
      if (admission.remainingMs() <= 0 || admission.attempts.length >= MOST_ATTEMPTS) {
        this.troubles.hasUntried = this.#index < this.#candidates.length
        return null
      }
      const place = this.#index++
      const candidate = this.#candidates[place]
      if (candidate === undefined) return null
      const plan = await this.#plan(candidate)
      if (plan !== null && (await this.#begin(place, candidate, plan))) return { candidate, plan }
    }
  }

  async #begin(place: number, candidate: Candidate, plan: CallPlan): Promise<boolean> {
    const { admission, gateway } = this.#parts
    const modelId = admission.asking.target.model.id
    if (!gateway.router.begin(candidate, modelId)) return false
    if (await this.#takeCapacity(place, candidate, plan)) return true
    gateway.router.end({ candidate, modelId, result: { type: 'abandoned' } })
    return false
  }

  async #plan(candidate: Candidate): Promise<CallPlan | null> {
    try {
      return await this.#parts.planFor(candidate)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      this.troubles.unspeakable ??= error
      return null
    }
  }

  /**
   * All candidates that are left are asked for at once: where limits are shared, each question takes a journey. The
   * first that has room is the next to be tried.
   */
  async #takeCapacity(place: number, candidate: Candidate, plan: CallPlan): Promise<boolean> {
    if (this.#reserved === place) return true
    const { admission, gateway } = this.#parts
    const windows = capacityWindows(admission, candidate, plan)
    if (windows.length === 0) return true
    const later = this.#candidates.slice(place + 1).map((each) => capacityWindows(admission, each, plan))
    const choice = await gateway.admissions.takeFirst([windows, ...later])
    if (choice.taken === 0) return true
    if (choice.taken === null) {
      this.#index = this.#candidates.length
      this.troubles.freeInSeconds = Math.min(this.troubles.freeInSeconds, ...choice.retryAfterSeconds)
    } else {
      this.#reserved = place + choice.taken
      this.#index = this.#reserved
    }
    return false
  }
}
