import type { Attempt, Settlement } from '../../api/wire.ts'

export interface TimelineRow {
  readonly attempt: Attempt
  readonly number: number
  readonly startMs: number
  /** When it failed or its response ended. */
  readonly endMs: number
  /** When its first byte arrived; null if none did. */
  readonly firstByteMs: number | null
}

type Timed = Pick<Settlement, 'started_at' | 'duration_ms' | 'attempts'>

export interface Tick {
  readonly ms: number
  /** Its place from 0 to 1. */
  readonly at: number
}

const MOST_STEPS = 5

/** Round times from the start to the end of a request, in up to five steps. */
export function layAxis(totalMs: number): Tick[] {
  const least = Math.max(totalMs, 1) / MOST_STEPS
  const power = 10 ** Math.floor(Math.log10(least))
  const step = Math.max(1, [1, 2, 5, 10].map((times) => times * power).find((one) => one >= least) ?? least)
  const count = Math.floor(totalMs / step)
  return Array.from({ length: count + 1 }, (_, index) => ({
    ms: index * step,
    at: (index * step) / Math.max(totalMs, 1),
  }))
}

/** How long the gateway took before it called the first supplier: reading, checking limits and choosing a route. */
export function admissionMs(
  rows: readonly TimelineRow[],
  { duration_ms }: Pick<Settlement, 'duration_ms'>,
): number {
  return rows[0]?.startMs ?? duration_ms
}

/** When each attempt started and ended, in milliseconds since the request arrived. */
export function layTimeline({ started_at, duration_ms, attempts }: Timed): TimelineRow[] {
  const zeroMs = Date.parse(started_at)
  const startOf = (attempt: Attempt) => clamp(Date.parse(attempt.started_at) - zeroMs, duration_ms)
  return attempts.map((attempt, index) => {
    const startMs = startOf(attempt)
    const next = attempts[index + 1]
    const untilNextMs = next === undefined ? duration_ms : startOf(next)
    const waitedMs = attempt.duration_ms ?? null
    // The response is still being delivered after the attempt has succeeded.
    const isOver = attempt.result !== 'answered' && waitedMs !== null
    return {
      attempt,
      number: index + 1,
      startMs,
      endMs: isOver ? clamp(startMs + waitedMs, duration_ms) : untilNextMs,
      firstByteMs:
        attempt.first_byte_ms === null ? null : clamp(startMs + attempt.first_byte_ms, duration_ms),
    }
  })
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most)
}
