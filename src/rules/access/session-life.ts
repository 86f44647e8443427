const HOUR_MS = 60 * 60 * 1_000

/** A session that nobody uses ends after this long, */
export const IDLE_MS = 12 * HOUR_MS
/** and any session after this, used or not. */
export const LONGEST_MS = 14 * 24 * HOUR_MS
/** How long a browser is known after somebody has signed in with it. */
export const DEVICE_MS = 180 * 24 * HOUR_MS
/** How exactly it is known when a session was last used: being exact would cost a write for every call. */
export const TOUCH_MS = 60 * 1_000

export interface SessionTimes {
  readonly createdAtMs: number
  readonly lastSeenAtMs: number
}

export function sessionEndMs({ createdAtMs, lastSeenAtMs }: SessionTimes): number {
  return Math.min(createdAtMs + LONGEST_MS, lastSeenAtMs + IDLE_MS)
}

export function isSessionOver(times: SessionTimes, nowMs: number): boolean {
  return nowMs >= sessionEndMs(times)
}

export function needsTouch({ lastSeenAtMs }: SessionTimes, nowMs: number): boolean {
  return nowMs - lastSeenAtMs >= TOUCH_MS
}
