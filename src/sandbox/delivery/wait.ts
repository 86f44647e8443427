import { setTimeout } from 'node:timers/promises'

/** Waits, or stops as soon as the signal is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>

export const waitForReal: Wait = (ms, signal) =>
  setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })

export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * Lets the event loop turn once. The runtime gathers everything written in one turn into one packet, and drops it
 * when the connection is destroyed in the same turn; a piece that must arrive alone needs a separate turn.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Lets only so many in at once; the others wait in the order they came. */
export type Turnstile = <T>(work: () => Promise<T>) => Promise<T>

export function createTurnstile(places: number): Turnstile {
  const waiting: (() => void)[] = []
  let taken = 0
  return async (work) => {
    if (taken === places) await new Promise<void>((resolve) => waiting.push(resolve))
    else taken += 1
    try {
      return await work()
    } finally {
      // The place goes straight to the next in the queue, so that a new arrival cannot take it.
      const next = waiting.shift()
      if (next === undefined) taken -= 1
      else next()
    }
  }
}
