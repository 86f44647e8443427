import type { NanoUsdt } from '../../vocabulary/money.ts'
import { isPending, type MaybePromise } from '../../vocabulary/runtime/maybe-promise.ts'
import type { Admissions, Growth } from '../ports/admissions.ts'

/** What so many output tokens would cost, with the prompt. */
export type CostOf = (outputTokens: number) => NanoUsdt

// How far ahead of what is delivered a hold grows: a longer step is tried first, so that there are few of them.
const STEPS = [512, 64, 0]
const TOKENS_PER_QUOTE = 1_000_000

/** The hold of a stream that was admitted with what there was. It grows as the stream is delivered. */
export class GrowingHold {
  readonly #admissions: Pick<Admissions, 'grow'>
  readonly #owner: Omit<Growth, 'amountNano'>
  #heldNano: NanoUsdt

  constructor(heldNano: NanoUsdt, owner: Omit<Growth, 'amountNano'>, admissions: Pick<Admissions, 'grow'>) {
    this.#heldNano = heldNano
    this.#owner = owner
    this.#admissions = admissions
  }

  /** How many output tokens it pays for; negative when it does not even pay for the prompt. */
  tokensCovered(costOf: CostOf): number {
    const promptNano = costOf(0)
    if (this.#heldNano < promptNano) return -1
    const quoteNano = costOf(TOKENS_PER_QUOTE) - promptNano
    if (quoteNano === 0n) return Number.POSITIVE_INFINITY
    return Number(((this.#heldNano - promptNano) * BigInt(TOKENS_PER_QUOTE)) / quoteNano)
  }

  /** False when there is no room for so many tokens. */
  grow(outputTokens: number, costOf: CostOf, tried = 0): MaybePromise<boolean> {
    const step = STEPS[tried]
    if (step === undefined) return false
    const amountNano = costOf(outputTokens + step)
    const growing = this.#admissions.grow({ ...this.#owner, amountNano })
    const conclude = (hasGrown: boolean): MaybePromise<boolean> => {
      if (hasGrown) this.#heldNano = amountNano
      return hasGrown || this.grow(outputTokens, costOf, tried + 1)
    }
    return isPending(growing) ? growing.then(conclude) : conclude(growing)
  }
}
