import { GatewayError } from '../errors/gateway-error.ts'

/** Injected wherever time matters, so that tests control it. */
export interface Clock {
  /** UTC epoch milliseconds. May jump in either direction when the machine's clock is set. */
  nowMs(): number
}

/** A clock that can also measure durations. */
export interface SteadyClock extends Clock {
  /** Milliseconds since the start of this process. Never jumps. Not comparable between processes. */
  monotonicMs(): number
}

// Whole milliseconds, because durations are stored.
export const SYSTEM_CLOCK: SteadyClock = {
  nowMs: Date.now,
  monotonicMs: () => Math.floor(performance.now()),
}

/** Injected, so that tests control time. */
export interface Timers {
  /** Returns a function that cancels the timer. */
  after(delayMs: number, run: () => void): () => void
}

export const SYSTEM_TIMERS: Timers = {
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

/** RFC 3339 in UTC, without a fraction for whole seconds. */
export function formatTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('.000Z', 'Z')
}

export function formatOptionalTime(epochMs: number | null): string | null {
  return epochMs === null ? null : formatTime(epochMs)
}

/** Reads an RFC 3339 time. A time without an offset is ambiguous and therefore refused. */
export function parseTime(text: string, param: string): number {
  const match = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i.exec(text)
  const timeMs = match && hasDay(match) ? Date.parse(text.toUpperCase()) : Number.NaN
  if (Number.isNaN(timeMs)) {
    throw new GatewayError(
      'invalid_request',
      `${param} must be an RFC 3339 time such as "2027-01-01T00:00:00Z".`,
      { param },
    )
  }
  return timeMs
}

// Date.parse reads the thirtieth of February as a day in March.
function hasDay([, year, month, day]: readonly string[]): boolean {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCDate() === Number(day)
}

/**
 * Waits for the work. After the timeout it returns the result of `whenLate` and ignores the result of the work.
 * Work that is passed as a function can restart the timeout by reporting progress.
 */
export async function withTimeout<Result>(
  timeoutMs: number,
  work: Promise<Result> | ((onProgress: () => void) => Promise<Result>),
  whenLate: () => Result,
): Promise<Result> {
  const { promise: late, resolve, reject } = Promise.withResolvers<Result>()
  const giveUp = () => {
    try {
      resolve(whenLate())
    } catch (error) {
      reject(error)
    }
  }
  let timer = setTimeout(giveUp, timeoutMs)
  const restart = () => {
    clearTimeout(timer)
    timer = setTimeout(giveUp, timeoutMs)
  }
  try {
    return await Promise.race([work instanceof Promise ? work : work(restart), late])
  } finally {
    clearTimeout(timer)
  }
}
