import { dayOf } from '../../../rules/ledger/period.ts'
import { WINDOW_MS } from '../../../rules/limits/window.ts'
import type {
  AdmissionRefusal,
  Choice,
  Growth,
  HoldDecision,
  HoldDemand,
  WindowDemand,
  WindowReading,
} from '../../../serve/ports/admissions.ts'
import type { NanoUsdt } from '../../../vocabulary/money.ts'
import { decideHold, type Room } from '../decide-hold.ts'
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

interface GrowingHold extends Owners {
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
  admit({ accountId, windows, hold }: LocalDemand, owners: Owners, nowMs: number): HoldDecision {
    const moment = this.#moment(accountId, nowMs)
    const decision = this.windows.refusalOf(windows, moment) ?? this.#decideHold(hold, owners, nowMs)
    if (decision !== null && decision.reason !== 'partial-hold') return decision
    this.windows.take(windows, moment)
    this.#keepStored(owners)
    return decision
  }

  /** Whether a hold of this node may grow. The holds of its owners must include it as it is now. */
  grow(growth: Growth, owners: GrowingHold, nowMs: number): boolean {
    const amountNano = growth.amountNano - owners.amountNano
    if (amountNano <= 0n) return true
    if (this.#decideHold({ ...growth, amountNano }, owners, nowMs) !== null) return false
    this.#keepStored(owners)
    return true
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

  #keepStored({ account, key }: Owners): void {
    for (const owner of [account, key]) if (!this.#stored.has(owner)) this.#stored.set(owner, 0n)
  }

  #decideHold(hold: HoldDemand, { account, key }: Owners, nowMs: number): HoldDecision {
    const { creditLineNano, usageLimit } = hold
    let keyRoom: Room = null
    if (usageLimit !== null) {
      const leftNano = usageLimit.amountNano - spentIn(key.totals, usageLimit.period, dayOf(nowMs))
      // A limit that is used up has no room even for a request that is free.
      keyRoom = leftNano <= 0n ? -1n : this.#roomNano(key, leftNano)
    }
    const balanceRoom =
      creditLineNano === null ? null : this.#roomNano(account, account.storedNano + creditLineNano)
    return decideHold(hold, keyRoom, balanceRoom)
  }

  /**
   * What this node may still hold. All nodes together take no more than was left when the store was lost. A stored cost
   * reduces what is left for all (`leftNano`), so it still counts against the node it came from.
   */
  #roomNano(owner: AccountView | KeyView, leftNano: NanoUsdt): NanoUsdt {
    const storedNano = this.#stored.get(owner) ?? 0n
    const shareNano = floorDivide(leftNano + storedNano, BigInt(this.#nodes))
    return shareNano - owner.heldNano - owner.unstoredNano - storedNano
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

function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend % divisor < 0n ? quotient - 1n : quotient
}

/** A clock that was set back also ends it. */
function isOver({ closesAtMs }: LocalWindow, nowMs: number): boolean {
  return closesAtMs <= nowMs || closesAtMs > nowMs + WINDOW_MS
}
