import { dayOf } from '../../../rules/ledger/period.ts'
import { WINDOW_MS } from '../../../rules/limits/window.ts'
import type {
  AdmissionRefusal,
  Choice,
  Decision,
  HoldDemand,
  WindowDemand,
  WindowReading,
} from '../../../serve/ports/admissions.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'
import { spentIn } from '../key-totals.ts'
import { type AccountView, type KeyView, secondsUntil, type WindowView } from './views.ts'

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
  /** What all nodes together may still spend, by the stored balance or totals. */
  readonly leftNano: NanoUsdt
  readonly amountNano: NanoUsdt
}

/** Enforces limits while the limits store is lost: each limit is divided among the live nodes. */
export class LocalShares {
  readonly windows: LocalWindows
  #nodes = 1
  /**
   * Costs of this node stored since the limits store was lost. They stay part of its share. Accounts and keys in here are
   * decided locally, whether the store does not answer or is empty and waits for another node.
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

  /** Requires a known balance and, for a key with a spending limit, known totals. */
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

  /** `isLost`: the limits store does not answer, so every account is decided here from now on. */
  noteStored({ account, key }: Owners, amountNano: NanoUsdt, isLost: boolean): void {
    for (const owner of [account, key]) {
      const storedNano = this.#stored.get(owner) ?? (isLost ? 0n : null)
      if (storedNano !== null) this.#stored.set(owner, storedNano + amountNano)
    }
  }

  /** The limits store has decided a request of this account and key. */
  noteShared({ account, key }: Owners): void {
    if (this.#stored.size === 0) return
    this.#stored.delete(account)
    this.#stored.delete(key)
  }

  /** The limits store is back. */
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
   * With this rule, all nodes together take no more than was left when the store was lost. A stored cost reduces what is
   * left for all, so it still counts against the node it came from.
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
  /** How much of it was sent to the limits store. */
  sent: number
}

/** The account that asks (null for supply), when, and among how many nodes. */
export interface LocalMoment {
  readonly accountId: string | null
  readonly nowMs: number
  readonly nodes: number
}

/**
 * This node's share of windows while the limits store is lost. A window that was open when the store last answered goes on
 * with the node's share of what was left; every later one gets the node's share of the limit.
 */
export class LocalWindows {
  readonly #view: WindowView
  readonly #windows = new Map<string, LocalWindow>()

  constructor(view: WindowView) {
    this.#view = view
  }

  refusalOf(demands: readonly WindowDemand[], moment: LocalMoment): AdmissionRefusal | null {
    let longest: Extract<AdmissionRefusal, { reason: 'window' }> | null = null
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

  /** Call `refusalOf` first. */
  take(demands: readonly WindowDemand[], moment: LocalMoment): void {
    for (const demand of demands) {
      const window = this.#current(demand, moment)
      window.spent += demand.amount
      window.isOpen = true
      this.#windows.set(demand.id, window)
    }
  }

  /** null when this node has not used its share in the current minute. */
  read({ id, metric, limit }: WindowDemand, nowMs: number): WindowReading | null {
    const window = this.#windows.get(id)
    if (window === undefined || isOver(window, nowMs)) return null
    const remaining = Math.max(0, window.allowance - window.spent)
    return { metric, limit, remaining, resetSeconds: secondsUntil(window.closesAtMs, nowMs) }
  }

  /** The accounts with spends that were not sent to the limits store; null stands for supply. */
  owners(nowMs: number): Set<string | null> {
    const owners = new Set<string | null>()
    for (const window of this.#windows.values()) {
      if (window.spent > window.sent && !isOver(window, nowMs)) owners.add(window.accountId)
    }
    return owners
  }

  /** Spends to send to the limits store, as demands without a limit because they already happened. */
  takeUnsent(accountId: string | null, nowMs: number): WindowDemand[] {
    const unsent: WindowDemand[] = []
    for (const window of this.#windows.values()) {
      const amount = window.spent - window.sent
      if (window.accountId !== accountId || amount === 0 || isOver(window, nowMs)) continue
      window.sent = window.spent
      unsent.push({ ...window.demand, limit: Number.MAX_SAFE_INTEGER, amount })
    }
    return unsent
  }

  /** The limits store may not have received them. Sending them twice only makes it refuse more. */
  markUnsent(spends: readonly WindowDemand[]): void {
    for (const { id, amount } of spends) {
      const window = this.#windows.get(id)
      if (window !== undefined) window.sent -= amount
    }
  }

  /** The limits store is back: what was sent counts there from now on. */
  clear(nowMs: number): void {
    for (const { demand, sent } of this.#windows.values()) this.#view.add(demand.id, sent, nowMs)
    this.#windows.clear()
  }

  /** The open window, or the one that the next spend would open. */
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
      sent: 0,
    }
  }
}

/** A clock that was set back also ends it. */
function isOver({ closesAtMs }: LocalWindow, nowMs: number): boolean {
  return closesAtMs <= nowMs || closesAtMs > nowMs + WINDOW_MS
}
