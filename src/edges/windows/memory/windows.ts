import { isOver, spend, UNOPENED, WINDOW_MS, type Window } from '../../../rules/limits/window.ts'
import type { WindowDemand } from '../../../serve/ports/admissions.ts'
import type { WindowState } from '../../../serve/ports/shared-limits.ts'
import { findFullWindow, type WindowRefusal } from '../full-window.ts'

const NOT_OPEN: WindowState = { spent: 0, closesInMs: 0 }

/** The windows of one owner of a limits store: of an account and its keys, or of supply. */
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
