const HOUR_SECONDS = 60 * 60

/**
 * Assets lie on shelves by the hour in which their time is over. So they are found by their address alone, without a
 * register of them, and what is over is found by looking at a few names. Names sort by time.
 */
export function shelfOf(expiresAtSeconds: number): string {
  return String(Math.floor(expiresAtSeconds / HOUR_SECONDS)).padStart(8, '0')
}

/** Whether nothing on a shelf can be asked for any more. */
export function isOver(shelf: string, nowMs: number): boolean {
  return /^\d{8}$/.test(shelf) && shelf < shelfOf(nowMs / 1_000)
}
