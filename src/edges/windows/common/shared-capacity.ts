import type { Choice, Decision, WindowDemand } from '../../../serve/ports/admissions.ts'
import type { CapacityAnswer } from '../../../serve/ports/shared-limits.ts'
import type { NodeParts } from './node-parts.ts'
import { UNAVAILABLE } from './shared-admission.ts'

type Options = readonly (readonly WindowDemand[])[]

const TAKEN: Choice = { taken: 0 }

/** Takes windows without money: those of supply, and those of an account's look-ups. */
export class SharedCapacity {
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
    // Which of them is full the limits store does not say, and nobody asks.
    return { reason: 'window', window: first, retryAfterSeconds: choice.retryAfterSeconds[0] ?? 1 }
  }

  async takeFirst(options: Options): Promise<Choice> {
    if (options[0]?.length === 0) return TAKEN
    if (options.length === 0) return { taken: null, retryAfterSeconds: [] }
    return (await this.#choose(options, null)) ?? { taken: null, retryAfterSeconds: options.map(() => 1) }
  }

  /** null when nobody can say. */
  async #choose(options: Options, accountId: string | null): Promise<Choice | null> {
    const { circuit, sharedLimits, loss, shares, clock } = this.#parts
    if (circuit.isClosed) {
      try {
        return this.#conclude(await sharedLimits.takeCapacity(accountId, options), options)
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
