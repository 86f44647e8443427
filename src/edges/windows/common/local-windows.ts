import { WINDOW_MS } from '../../../rules/limits/window.ts'
import type { Refusal, WindowDemand, WindowReading } from '../../../serve/ports/admissions.ts'
import { secondsUntil, type WindowView } from './window-view.ts'

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
