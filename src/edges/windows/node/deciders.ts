import type {
  AdmissionRefusal,
  Choice,
  Decision,
  Demand,
  WindowDemand,
} from '../../../serve/ports/admissions.ts'
import type { AdmitAnswer, CapacityAnswer } from '../../../serve/ports/shared-limits.ts'
import { isDoneWithin } from './limits-circuit.ts'
import type { NodeParts } from './node-parts.ts'
import type { Entry } from './open-entries.ts'

type Missing = Extract<AdmitAnswer, { type: 'unknown' }>['missing']

// Bounds the retries when the limits store is emptied again and again.
const MAX_TRIES = 5
/** How long an admission waits for the database to load an account. */
export const READ_PATIENCE_MS = 2_000

// While a node decides on its own: how old known balances may be, and how long it waits for newer ones.
const FRESH_MS = 3_000
const REFRESH_PATIENCE_MS = 200
const REST_MS = 2_000

const CHANGED: AdmissionRefusal = { reason: 'configuration-changed' }
export const UNAVAILABLE: AdmissionRefusal = {
  reason: 'unavailable',
  message: 'The limits store is not available right now. Try again later.',
}

/** Decides whether requests are admitted: in the limits store, or by this node's share while the store is lost. */
export class AdmissionDecider {
  readonly #parts: NodeParts
  /** After a timeout, requests stop waiting for the database until then. */
  #databaseRestsUntilMs = Number.NEGATIVE_INFINITY

  constructor(parts: NodeParts) {
    this.#parts = parts
  }

  async admit(demand: Demand): Promise<Decision> {
    const { circuit, admissionLimits, generation } = this.#parts
    const entry = this.#parts.entries.ask(demand)
    for (let tries = 0; tries < MAX_TRIES && circuit.isClosed; tries += 1) {
      const asked = generation.current
      let answer: AdmitAnswer
      try {
        answer = await admissionLimits.admit({
          requestId: demand.requestId,
          accountId: demand.accountId,
          keyId: demand.keyId,
          generation: asked,
          configurationVersion: demand.configurationVersion,
          windows: demand.windows,
          hold: demand.hold,
          conversation: demand.conversation,
        })
      } catch (error) {
        circuit.trip(error)
        entry.isUnanswered = true
        break
      }
      // The store was emptied meanwhile, and this node reported its holds without this one.
      if (answer.type === 'admitted' && asked !== generation.current) continue
      if (answer.type !== 'unknown') return this.#conclude(answer, demand, entry)
      if (!(await this.#makeKnown(answer.missing, demand))) break
    }
    return this.#decideAlone(demand, entry)
  }

  #conclude(answer: Exclude<AdmitAnswer, { type: 'unknown' }>, demand: Demand, entry: Entry): Decision {
    const { entries, windowView, clock, staleAccounts, shares, onPin } = this.#parts
    shares.noteShared(entry)
    switch (answer.type) {
      case 'admitted':
        windowView.remember(demand.windows, answer.windows, clock.nowMs())
        entries.open(entry)
        if (answer.pin !== null && demand.conversation !== null) onPin(demand.conversation, answer.pin)
        return null
      case 'refused':
        windowView.remember(demand.windows, answer.windows, clock.nowMs())
        entries.forget(entry)
        // Another node may have died between storing a payment and reporting it, so the database is read again.
        if (answer.refusal.reason !== 'window') staleAccounts.add(demand.accountId, limitedKeys(demand))
        return answer.refusal
      case 'behind':
        entries.forget(entry)
        return CHANGED
    }
  }

  async #makeKnown(missing: Missing, { accountId, keyId, hold }: Demand): Promise<boolean> {
    const { circuit, generation, loader, timers, deadlineMs } = this.#parts
    if (missing === 'generation') {
      return isDoneWithin(circuit.watch(generation.join()), deadlineMs, timers)
    }
    if (!(await isDoneWithin(generation.complete(), deadlineMs, timers))) return false
    const limitedKeyId = hold.usageLimit === null ? null : keyId
    return isDoneWithin(loader.load(accountId, limitedKeyId), READ_PATIENCE_MS, timers)
  }

  async #decideAlone(demand: Demand, entry: Entry): Promise<Decision> {
    const { loss, shares, entries, staleAccounts, clock, circuit, healer } = this.#parts
    const canDecide = loss === 'local' && (await this.#knowsEnough(demand, entry))
    const refusal = canDecide ? shares.admit(demand, entry, clock.nowMs()) : UNAVAILABLE
    if (refusal === null) entries.open(entry)
    else entries.forget(entry)
    // A store that does not answer receives the hold when it does.
    if (refusal === null && circuit.isClosed) healer.sendAdmitted(entry)
    // The store may lack this hold, or have one for a refused request.
    if (refusal === null || entry.isUnanswered) {
      staleAccounts.add(demand.accountId, limitedKeys(demand))
    }
    return refusal
  }

  /**
   * Reads money that is missing or old, since other nodes may have spent. If the database is down too, older values are
   * good enough: this node knows what it spent since.
   */
  async #knowsEnough({ accountId, keyId, hold }: Demand, { account, key }: Entry): Promise<boolean> {
    const { reader, timers, clock } = this.#parts
    const nowMs = clock.nowMs()
    const isOld = (readAtMs: number) => nowMs - readAtMs > FRESH_MS && nowMs >= this.#databaseRestsUntilMs
    const wantsBalance = hold.creditLineNano !== null && hold.amountNano > 0n
    const wantsTotals = hold.usageLimit !== null
    const isKnown = (!wantsBalance || account.isKnown) && (!wantsTotals || key.totals !== null)
    const readsBalance = wantsBalance && (!account.isKnown || isOld(account.readAtMs))
    const readsTotals = wantsTotals && (key.totals === null || isOld(key.readAtMs))
    if (!readsBalance && !readsTotals) return true
    const read = Promise.all([
      reader.readBalances(readsBalance ? [accountId] : []),
      reader.readTotals(readsTotals ? [keyId] : []),
    ])
    if (await isDoneWithin(read, isKnown ? REFRESH_PATIENCE_MS : READ_PATIENCE_MS, timers)) return true
    this.#databaseRestsUntilMs = clock.nowMs() + REST_MS
    return isKnown
  }
}

function limitedKeys({ keyId, hold }: Demand): string[] {
  return hold.usageLimit === null ? [] : [keyId]
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
