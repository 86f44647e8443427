import { dayOf } from '../../../rules/ledger/period.ts'
import type { Choice, Decision, HoldDemand, WindowDemand } from '../../../serve/ports/admissions.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'
import { spentIn } from './key-totals.ts'
import { type LocalMoment, LocalWindows } from './local-windows.ts'
import type { AccountView, KeyView } from './money-views.ts'
import type { WindowView } from './window-view.ts'

interface LocalDemand {
  readonly accountId: string
  readonly windows: readonly WindowDemand[]
  readonly hold: HoldDemand
}

interface Owners {
  readonly account: AccountView
  readonly key: KeyView
}

interface Share {
  readonly owner: AccountView | KeyView
  /** What all nodes together may still spend, as far as is stored. */
  readonly leftNano: NanoUsdt
  readonly amountNano: NanoUsdt
}

/** How this node judges while the limits store cannot: each limit is divided among the nodes that live. */
export class LocalShares {
  readonly windows: LocalWindows
  #nodes = 1
  /**
   * What was stored of this node's costs since the limits store went away: it stays a part of this node's share. Whoever is in
   * it is judged here, whether the limits store does not answer or is empty and waits for another node.
   */
  readonly #stored = new Map<AccountView | KeyView, NanoUsdt>()

  constructor(view: WindowView) {
    this.windows = new LocalWindows(view)
  }

  get nodes(): number {
    return this.#nodes
  }

  set nodes(count: number) {
    this.#nodes = Math.max(1, count)
  }

  /** What it needs to know must be known: the balance, and the totals of a key with a limit. */
  admit({ accountId, windows, hold }: LocalDemand, owners: Owners, nowMs: number): Decision {
    const moment = this.#moment(accountId, nowMs)
    const refusal = this.windows.refusalOf(windows, moment) ?? this.#moneyRefusal(hold, owners, nowMs)
    if (refusal !== null) return refusal
    this.windows.take(windows, moment)
    for (const owner of [owners.account, owners.key]) {
      if (!this.#stored.has(owner)) this.#stored.set(owner, 0n)
    }
    return null
  }

  takeFirst(options: readonly (readonly WindowDemand[])[], accountId: string | null, nowMs: number): Choice {
    const moment = this.#moment(accountId, nowMs)
    const retryAfterSeconds: number[] = []
    for (const [taken, windows] of options.entries()) {
      const refusal = this.windows.refusalOf(windows, moment)
      if (refusal?.reason !== 'window') {
        this.windows.take(windows, moment)
        return { taken }
      }
      retryAfterSeconds.push(refusal.retryAfterSeconds)
    }
    return { taken: null, retryAfterSeconds }
  }

  /** `isLost`: the limits store does not answer, so everybody is judged here from now on. */
  noteStored({ account, key }: Owners, amountNano: NanoUsdt, isLost: boolean): void {
    for (const owner of [account, key]) {
      const storedNano = this.#stored.get(owner) ?? (isLost ? 0n : null)
      if (storedNano !== null) this.#stored.set(owner, storedNano + amountNano)
    }
  }

  /** The limits store has judged a request of these. */
  noteShared({ account, key }: Owners): void {
    if (this.#stored.size === 0) return
    this.#stored.delete(account)
    this.#stored.delete(key)
  }

  /** The limits store judges again. */
  clear(nowMs: number): void {
    this.windows.clear(nowMs)
    this.#stored.clear()
  }

  #moment(accountId: string | null, nowMs: number): LocalMoment {
    return { accountId, nowMs, nodes: this.#nodes }
  }

  #moneyRefusal(hold: HoldDemand, { account, key }: Owners, nowMs: number): Decision {
    const { amountNano, creditLineNano, usageLimit } = hold
    if (usageLimit !== null) {
      const leftNano = usageLimit.amountNano - spentIn(key.totals, usageLimit.period, dayOf(nowMs))
      if (leftNano <= 0n || !this.#fits({ owner: key, leftNano, amountNano })) {
        return { reason: 'key-spending-limit' }
      }
    }
    // A request that costs nothing needs no money.
    if (creditLineNano === null || amountNano === 0n) return null
    const leftNano = account.storedNano + creditLineNano
    return this.#fits({ owner: account, leftNano, amountNano }) ? null : { reason: 'balance' }
  }

  /**
   * Adding up what every node takes by this rule gives no more than was left when the limits store went away: a cost that is
   * stored leaves what is left for all, and is therefore still counted against the node it came from.
   */
  #fits({ owner, leftNano, amountNano }: Share): boolean {
    const storedNano = this.#stored.get(owner) ?? 0n
    const ownNano = owner.heldNano + owner.unstoredNano + storedNano + amountNano
    return ownNano * BigInt(this.#nodes) <= leftNano + storedNano
  }
}
