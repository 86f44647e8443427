import {
  canSpend,
  isOver,
  resetSeconds,
  spend,
  UNOPENED,
  WINDOW_MS,
  type Window,
} from '../../rules/limits/window.ts'
import type { AdmissionRefusal, WindowDemand } from '../../serve/ports/admissions.ts'
import type { CapacityAnswer, WindowState } from '../../serve/ports/shared-limits.ts'

const NOT_OPEN: WindowState = { spent: 0, closesInMs: 0 }

/** Where windows are kept. */
export interface WindowStore {
  get(id: string): Window | undefined
  set(id: string, window: Window): unknown
}

/** The windows of an account and its keys, or of supply. */
export class SharedWindows {
  readonly #windows: WindowStore

  constructor(windows: WindowStore) {
    this.#windows = windows
  }

  refusalOf(demands: readonly WindowDemand[], nowMs: number): WindowRefusal | null {
    return findFullWindow(this.#windows, demands, nowMs)
  }

  take(demands: readonly WindowDemand[], nowMs: number): void {
    for (const { id, amount } of demands) {
      this.#windows.set(id, spend(this.#windows.get(id) ?? UNOPENED, amount, nowMs))
    }
  }

  /** Takes all windows of the first option that has room. */
  takeFirst(options: readonly (readonly WindowDemand[])[], nowMs: number): CapacityAnswer {
    const retryAfterSeconds: number[] = []
    for (const [option, demands] of options.entries()) {
      const refusal = this.refusalOf(demands, nowMs)
      if (refusal === null) {
        this.take(demands, nowMs)
        return { type: 'taken', option }
      }
      retryAfterSeconds.push(refusal.retryAfterSeconds)
    }
    return { type: 'refused', retryAfterSeconds }
  }

  look(demands: readonly WindowDemand[], nowMs: number): WindowState[] {
    return demands.map(({ id }) => {
      const window = this.#windows.get(id)
      if (window === undefined || isOver(window, nowMs)) return NOT_OPEN
      return { spent: window.spent, closesInMs: window.openedAtMs + WINDOW_MS - nowMs }
    })
  }
}

export type WindowRefusal = Extract<AdmissionRefusal, { reason: 'window' }>

/** Names the full window that resets last: waiting for another one would only lead to the next refusal. */
export function findFullWindow(
  windows: Pick<WindowStore, 'get'>,
  demands: readonly WindowDemand[],
  nowMs: number,
): WindowRefusal | null {
  let longest: WindowRefusal | null = null
  for (const window of demands) {
    const current = windows.get(window.id) ?? UNOPENED
    if (canSpend(current, window, nowMs)) continue
    const retryAfterSeconds = Math.max(1, resetSeconds(current, nowMs))
    if (longest === null || retryAfterSeconds > longest.retryAfterSeconds) {
      longest = { reason: 'window', window, retryAfterSeconds }
    }
  }
  return longest
}
