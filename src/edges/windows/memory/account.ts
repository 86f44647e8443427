import { isOver, spend, UNOPENED, WINDOW_MS, type Window } from '../../../rules/limits/window.ts'
import type { WindowDemand } from '../../../serve/ports/admissions.ts'
import type { PinnedTo, WindowState } from '../../../serve/ports/shared-limits.ts'
import { findFullWindow, type WindowRefusal } from '../memory-admissions.ts'
import { SharedMoney } from './money.ts'

/** The state of one account. */
export class SharedAccount {
  readonly money = new SharedMoney()
  readonly windows = new SharedWindows()
  readonly pins = new ExpiringMap<PinnedTo>()
  readonly notes = new ExpiringMap<string>()

  sweep(nowMs: number): void {
    this.windows.sweep(nowMs)
    this.pins.sweep(nowMs)
    this.notes.sweep(nowMs)
  }
}

const NOT_OPEN: WindowState = { spent: 0, closesInMs: 0 }

/** The windows of an account and its keys, or of supply. */
export class SharedWindows {
  readonly #windows = new Map<string, Window>()

  refusalOf(demands: readonly WindowDemand[], nowMs: number): WindowRefusal | null {
    return findFullWindow(this.#windows, demands, nowMs)
  }

  take(demands: readonly WindowDemand[], nowMs: number): void {
    for (const { id, amount } of demands) {
      this.#windows.set(id, spend(this.#windows.get(id) ?? UNOPENED, amount, nowMs))
    }
  }

  look(demands: readonly WindowDemand[], nowMs: number): WindowState[] {
    return demands.map(({ id }) => {
      const window = this.#windows.get(id)
      if (window === undefined || isOver(window, nowMs)) return NOT_OPEN
      return { spent: window.spent, closesInMs: window.openedAtMs + WINDOW_MS - nowMs }
    })
  }

  sweep(nowMs: number): void {
    for (const [id, window] of this.#windows) if (isOver(window, nowMs)) this.#windows.delete(id)
  }
}

/** Values that expire one by one. */
export class ExpiringMap<Value> {
  readonly #values = new Map<string, { readonly value: Value; readonly endsAtMs: number }>()

  set(name: string, value: Value, endsAtMs: number): void {
    this.#values.set(name, { value, endsAtMs })
  }

  get(name: string, nowMs: number): Value | null {
    const kept = this.#values.get(name)
    return kept === undefined || kept.endsAtMs <= nowMs ? null : kept.value
  }

  list(nowMs: number): Value[] {
    return [...this.#values.values()].filter(({ endsAtMs }) => endsAtMs > nowMs).map(({ value }) => value)
  }

  sweep(nowMs: number): void {
    for (const [name, { endsAtMs }] of this.#values) if (endsAtMs <= nowMs) this.#values.delete(name)
  }
}
