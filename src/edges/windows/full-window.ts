import { canSpend, resetSeconds, UNOPENED, type Window } from '../../rules/limits/window.ts'
import type { Refusal, WindowDemand } from '../../serve/ports/admissions.ts'

export type WindowRefusal = Extract<Refusal, { reason: 'window' }>

/** Names the full window that resets last: waiting for another one would only lead to the next refusal. */
export function findFullWindow(
  windows: ReadonlyMap<string, Window>,
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
