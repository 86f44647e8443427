/** Whether what was put off by this much is due by now. A clock that was set back since puts nothing off further. */
export function isDue(nowMs: number, dueAtMs: number, intervalMs: number): boolean {
  return nowMs >= dueAtMs || nowMs < dueAtMs - intervalMs
}
