import type {
  AdmissionRefusal,
  Choice,
  Decision,
  Demand,
  HoldDecision,
  WindowDemand,
} from '../../../serve/ports/admissions.ts'
import type { AdmitAnswer, CapacityAnswer } from '../../../serve/ports/shared-limits.ts'
import { isPending, type MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import { limitedKeyIds, type MoneyKnowledge } from './money-knowledge.ts'
import type { NodeParts } from './node-parts.ts'
import type { Entry } from './open-entries.ts'

/** Bounds the retries when the limits store is emptied again and again. */
export const MAX_TRIES = 5

const CHANGED: AdmissionRefusal = { reason: 'configuration-changed' }
export const UNAVAILABLE: AdmissionRefusal = {
  reason: 'unavailable',
  message: 'The limits store is not available right now. Try again later.',
}

/** Decides whether requests are admitted: in the limits store, or by this node's share while the store is lost. */
export class AdmissionDecider {
  readonly #parts: NodeParts
  readonly #knowledge: MoneyKnowledge

  constructor(parts: NodeParts, knowledge: MoneyKnowledge) {
    this.#parts = parts
    this.#knowledge = knowledge
  }

  admit(demand: Demand): MaybePromise<HoldDecision> {
    const { circuit, entries } = this.#parts
    const entry = entries.ask(demand)
    if (!circuit.isClosed) return this.#decideAlone(demand, entry)
    const answer = this.#ask(demand)
    if (isPending(answer) || answer.type === 'unknown') return this.#admitLater(demand, entry, answer)
    return this.#conclude(answer, demand, entry)
  }

  /** The answer of the limits store, which may have it at once. */
  #ask(demand: Demand): MaybePromise<AdmitAnswer> {
    const { admissionLimits, generation } = this.#parts
    try {
      return admissionLimits.admit({
        requestId: demand.requestId,
        accountId: demand.accountId,
        keyId: demand.keyId,
        generation: generation.current,
        configurationVersion: demand.configurationVersion,
        windows: demand.windows,
        hold: demand.hold,
        conversation: demand.conversation,
      })
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** `first`: what the limits store has just been asked. */
  async #admitLater(demand: Demand, entry: Entry, first: MaybePromise<AdmitAnswer>): Promise<HoldDecision> {
    const { circuit, generation } = this.#parts
    for (let tries = 0; tries < MAX_TRIES && circuit.isClosed; tries += 1) {
      const asked = generation.current
      let answer: AdmitAnswer
      try {
        answer = await (tries === 0 ? first : this.#ask(demand))
      } catch (error) {
        circuit.trip(error)
        entry.isUnanswered = true
        break
      }
      // The store was emptied meanwhile, and this node reported its holds without this one.
      if (answer.type === 'admitted' && asked !== generation.current) continue
      if (answer.type !== 'unknown') return this.#conclude(answer, demand, entry)
      if (!(await this.#knowledge.makeKnown(answer.missing, demand, demand.hold))) break
    }
    return this.#decideAlone(demand, entry)
  }

  #conclude(answer: Exclude<AdmitAnswer, { type: 'unknown' }>, demand: Demand, entry: Entry): HoldDecision {
    const { entries, windowView, clock, staleAccounts, shares, onPin } = this.#parts
    shares.noteShared(entry)
    switch (answer.type) {
      case 'admitted':
        windowView.remember(demand.windows, answer.windows, clock.nowMs())
        entries.open(entry, answer.heldNano ?? demand.hold.amountNano)
        if (answer.pin !== null && demand.conversation !== null) onPin(demand.conversation, answer.pin)
        return answer.heldNano === null ? null : { reason: 'partial-hold', heldNano: answer.heldNano }
      case 'refused':
        windowView.remember(demand.windows, answer.windows, clock.nowMs())
        entries.forget(entry)
        // Another node may have died between storing a payment and reporting it, so the database is read again.
        if (answer.refusal.reason !== 'window') {
          staleAccounts.add(demand.accountId, limitedKeyIds(demand, demand.hold))
        }
        return answer.refusal
      case 'behind':
        entries.forget(entry)
        return CHANGED
    }
  }

  async #decideAlone(demand: Demand, entry: Entry): Promise<HoldDecision> {
    const { loss, shares, entries, staleAccounts, clock, circuit, healer } = this.#parts
    const canDecide = loss === 'local' && (await this.#knowledge.suffices(demand, demand.hold))
    const decision = canDecide ? shares.admit(demand, entry, clock.nowMs()) : UNAVAILABLE
    // The store may lack this hold, or have one for a refused request.
    const markStale = () => staleAccounts.add(demand.accountId, limitedKeyIds(demand, demand.hold))
    if (decision !== null && decision.reason !== 'partial-hold') {
      entries.forget(entry)
      if (entry.isUnanswered) markStale()
      return decision
    }
    entries.open(entry, decision?.heldNano ?? demand.hold.amountNano)
    // A store that does not answer receives the hold when it does.
    if (circuit.isClosed) healer.sendHold(entry)
    markStale()
    return decision
  }
}

type Options = readonly (readonly WindowDemand[])[]

const TAKEN: Choice = { taken: 0 }

/** Takes windows without a hold: those of supply, and those of an account's look-ups. */
export class CapacityDecider {
  readonly #parts: NodeParts

  constructor(parts: NodeParts) {
    this.#parts = parts
  }

  async take(windows: readonly WindowDemand[], accountId: string | null): Promise<Decision> {
    const first = windows[0]
    if (first === undefined) return null
    const choice = await this.#choose([windows], accountId)
    if (choice === null) return UNAVAILABLE
    if (choice.taken !== null) return null
    // The store does not say which window is full, and no caller needs it.
    return { reason: 'window', window: first, retryAfterSeconds: choice.retryAfterSeconds[0] ?? 1 }
  }

  async takeFirst(options: Options): Promise<Choice> {
    if (options[0]?.length === 0) return TAKEN
    if (options.length === 0) return { taken: null, retryAfterSeconds: [] }
    return (await this.#choose(options, null)) ?? { taken: null, retryAfterSeconds: options.map(() => 1) }
  }

  /** null when neither the store nor a local share can decide. */
  async #choose(options: Options, accountId: string | null): Promise<Choice | null> {
    const { circuit, admissionLimits, loss, shares, clock } = this.#parts
    if (circuit.isClosed) {
      try {
        return this.#conclude(await admissionLimits.takeCapacity(accountId, options), options)
      } catch (error) {
        circuit.trip(error)
      }
    }
    return loss === 'refuse' ? null : shares.takeFirst(options, accountId, clock.nowMs())
  }

  #conclude(answer: CapacityAnswer, options: Options): Choice {
    if (answer.type === 'refused') return { taken: null, retryAfterSeconds: answer.retryAfterSeconds }
    const nowMs = this.#parts.clock.nowMs()
    for (const { id, amount } of options[answer.option] ?? []) this.#parts.windowView.add(id, amount, nowMs)
    return { taken: answer.option }
  }
}
