import type { OpenHold } from '../../../serve/ports/shared-limits.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'

interface Cost extends OpenHold {
  readonly accountId: string
}

interface Sum {
  amountNano: NanoUsdt
  costs: number
}

/** Costs that are held as one sum for each key, because there are so many. */
export class FoldedCosts {
  readonly #byAccount = new Map<string, Map<string, Sum>>()

  add({ accountId, keyId, amountNano }: Cost): void {
    const ofAccount = this.#byAccount.get(accountId) ?? new Map<string, Sum>()
    this.#byAccount.set(accountId, ofAccount)
    const sum = ofAccount.get(keyId) ?? { amountNano: 0n, costs: 0 }
    ofAccount.set(keyId, sum)
    sum.amountNano += amountNano
    sum.costs += 1
  }

  remove({ accountId, keyId, amountNano }: Cost): void {
    const ofAccount = this.#byAccount.get(accountId)
    const sum = ofAccount?.get(keyId)
    if (ofAccount === undefined || sum === undefined) return
    sum.amountNano -= amountNano
    sum.costs -= 1
    if (sum.costs > 0) return
    ofAccount.delete(keyId)
    if (ofAccount.size === 0) this.#byAccount.delete(accountId)
  }

  accountIds(): Iterable<string> {
    return this.#byAccount.keys()
  }

  holdsOf(accountId: string): OpenHold[] {
    const sums = this.#byAccount.get(accountId) ?? []
    return [...sums].map(([keyId, { amountNano }]) => ({ requestId: `unstored:${keyId}`, keyId, amountNano }))
  }
}
