import type { Clock } from '../../vocabulary/clock.ts'
import type { WaitingLine } from './waiting-line.ts'

/** How much may wait for the database before nothing more is let in. */
export interface JournalBounds {
  readonly maxBytes: number
  readonly maxAgeMs: number
  readonly clock: Clock
}

/** Why nothing more may be admitted; null while there is room. Asked for every request, so it only compares. */
export function findRefusal(
  line: WaitingLine,
  { maxBytes, maxAgeMs, clock }: JournalBounds,
  isDatabaseFailing: boolean,
): string | null {
  const { oldestAtMs } = line
  if (oldestAtMs === null) return null
  if (line.bytes > maxBytes) {
    return `Records of earlier requests wait for the database and fill the journal's ${maxBytes} bytes; try again later.`
  }
  // Otherwise it is the clock that has moved, and all that waits is stored in a moment.
  if (isDatabaseFailing && clock.nowMs() - oldestAtMs > maxAgeMs) {
    return `Records of earlier requests have waited for the database for more than ${maxAgeMs / 1_000} seconds; try again later.`
  }
  return null
}
