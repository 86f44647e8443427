import { formatDuration } from '../../parts/format.ts'

/** How long an answer took; null when there was none. */
export function describePing(ms: number | null): string {
  if (ms === null) return 'No answer'
  return ms < 1 ? 'under 1 ms' : formatDuration(ms)
}
