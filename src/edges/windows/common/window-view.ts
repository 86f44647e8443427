import { WINDOW_MS } from '../../../rules/limits/window.ts'
import type { WindowDemand, WindowReading } from '../../../serve/ports/admissions.ts'
import type { WindowState } from '../../../serve/ports/shared-limits.ts'

/** Where a window stood when the limits store last told, with its end by the clock of this node. */
export interface SeenWindow {
  readonly spent: number
  readonly closesAtMs: number
}

const SWEEP_EVERY_LOOKS = 10_000

/** What this node knows of the limits store's windows. */
export class WindowView {
  readonly #seen = new Map<string, SeenWindow>()
  #looksUntilSweep = SWEEP_EVERY_LOOKS

  remember(windows: readonly WindowDemand[], states: readonly WindowState[], nowMs: number): void {
    for (let index = 0; index < windows.length; index += 1) {
      const window = windows[index]
      const state = states[index]
      if (window === undefined || state === undefined) continue
      this.#seen.set(window.id, { spent: state.spent, closesAtMs: nowMs + state.closesInMs })
    }
    this.#tidy(nowMs)
  }

  /** Takes note of what this node has spent at the limits store when the limits store does not say where the window stands now. */
  add(id: string, amount: number, nowMs: number): void {
    if (amount === 0) return
    const seen = this.find(id, nowMs)
    const closesAtMs = seen?.closesAtMs ?? nowMs + WINDOW_MS
    this.#seen.set(id, { spent: (seen?.spent ?? 0) + amount, closesAtMs })
    this.#tidy(nowMs)
  }

  /** null when it is not open, as far as is known. */
  find(id: string, nowMs: number): SeenWindow | null {
    const seen = this.#seen.get(id)
    // A clock that was set back ends it as well: nobody can say how much of the minute is left.
    if (seen === undefined || seen.closesAtMs <= nowMs || seen.closesAtMs > nowMs + WINDOW_MS) return null
    return seen
  }

  read({ id, metric, limit }: WindowDemand, nowMs: number): WindowReading {
    const seen = this.find(id, nowMs)
    if (seen === null) return { metric, limit, remaining: limit, resetSeconds: 0 }
    return {
      metric,
      limit,
      remaining: Math.max(0, limit - seen.spent),
      resetSeconds: secondsUntil(seen.closesAtMs, nowMs),
    }
  }

  #tidy(nowMs: number): void {
    this.#looksUntilSweep -= 1
    if (this.#looksUntilSweep > 0) return
    this.#looksUntilSweep = SWEEP_EVERY_LOOKS
    for (const [id, { closesAtMs }] of this.#seen) if (closesAtMs <= nowMs) this.#seen.delete(id)
  }
}

export function secondsUntil(endMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((endMs - nowMs) / 1_000))
}
