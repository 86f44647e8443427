import { dayOf } from '../../../rules/ledger/period.ts'
import { WINDOW_MS } from '../../../rules/limits/window.ts'
import type {
  Choice,
  Decision,
  HoldDemand,
  Refusal,
  WindowDemand,
  WindowReading,
} from '../../../serve/ports/admissions.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'
import { spentIn } from '../key-totals.ts'
import type { AccountView, KeyView } from './views.ts'
import { secondsUntil, type WindowView } from './views.ts'

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

interface LocalWindow {
  readonly demand: WindowDemand
  readonly accountId: string | null
  /** What this node may spend until it closes. */
  readonly allowance: number
  readonly closesAtMs: number
  isOpen: boolean
  spent: number
  /** How much of it the limits store has been told. */
  told: number
}

/** Who asks, and when. */
export interface LocalMoment {
  readonly accountId: string | null
  readonly nowMs: number
  readonly nodes: number
}

/**
 * This node's share of windows while the limits store is away. A window that was open when the limits store was last heard of goes on
 * with the node's share of what was left of it; every later one is the node's share of the limit.
 */
export class LocalWindows {
  readonly #view: WindowView
  readonly #windows = new Map<string, LocalWindow>()

  constructor(view: WindowView) {
    this.#view = view
  }

  refusalOf(demands: readonly WindowDemand[], moment: LocalMoment): Refusal | null {
    let longest: Extract<Refusal, { reason: 'window' }> | null = null
    for (const demand of demands) {
      const window = this.#current(demand, moment)
      if (window.spent + demand.amount <= window.allowance) continue
      const retryAfterSeconds = window.isOpen ? secondsUntil(window.closesAtMs, moment.nowMs) : 1
      if (longest === null || retryAfterSeconds > longest.retryAfterSeconds) {
        longest = { reason: 'window', window: demand, retryAfterSeconds }
      }
    }
    return longest
  }

  /** Ask `refusalOf` first. */
  take(demands: readonly WindowDemand[], moment: LocalMoment): void {
    for (const demand of demands) {
      const window = this.#current(demand, moment)
      window.spent += demand.amount
      window.isOpen = true
      this.#windows.set(demand.id, window)
    }
  }

  /** null when this node has not judged by itself in the present minute. */
  read({ id, metric, limit }: WindowDemand, nowMs: number): WindowReading | null {
    const window = this.#windows.get(id)
    if (window === undefined || isOver(window, nowMs)) return null
    const remaining = Math.max(0, window.allowance - window.spent)
    return { metric, limit, remaining, resetSeconds: secondsUntil(window.closesAtMs, nowMs) }
  }

  /** Whose windows have been spent from without the limits store's knowledge. */
  owners(nowMs: number): Set<string | null> {
    const owners = new Set<string | null>()
    for (const window of this.#windows.values()) {
      if (window.spent > window.told && !isOver(window, nowMs)) owners.add(window.accountId)
    }
    return owners
  }

  /** What the limits store is to be told, as demands without a limit: it has been spent already. */
  tell(accountId: string | null, nowMs: number): WindowDemand[] {
    const news: WindowDemand[] = []
    for (const window of this.#windows.values()) {
      const amount = window.spent - window.told
      if (window.accountId !== accountId || amount === 0 || isOver(window, nowMs)) continue
      window.told = window.spent
      news.push({ ...window.demand, limit: Number.MAX_SAFE_INTEGER, amount })
    }
    return news
  }

  /** The limits store may not have heard it. Telling it twice would only refuse too much. */
  takeBack(news: readonly WindowDemand[]): void {
    for (const { id, amount } of news) {
      const window = this.#windows.get(id)
      if (window !== undefined) window.told -= amount
    }
  }

  /** The limits store judges again: what it was told counts there from now on. */
  clear(nowMs: number): void {
    for (const { demand, told } of this.#windows.values()) this.#view.add(demand.id, told, nowMs)
    this.#windows.clear()
  }

  /** The one that is open, or the one that the next spend would open. */
  #current(demand: WindowDemand, { accountId, nowMs, nodes }: LocalMoment): LocalWindow {
    const known = this.#windows.get(demand.id)
    if (known !== undefined && !isOver(known, nowMs)) return known
    const seen = this.#view.find(demand.id, nowMs)
    const left = Math.max(0, demand.limit - (seen?.spent ?? 0))
    return {
      demand,
      accountId,
      allowance: Math.ceil(left / nodes),
      closesAtMs: seen?.closesAtMs ?? nowMs + WINDOW_MS,
      isOpen: seen !== null,
      spent: 0,
      told: 0,
    }
  }
}

/** A clock that was set back ends it as well. */
function isOver({ closesAtMs }: LocalWindow, nowMs: number): boolean {
  return closesAtMs <= nowMs || closesAtMs > nowMs + WINDOW_MS
}
