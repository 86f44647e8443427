/** With the waits between them, six tries take about half an hour. */
export const MOST_TRIES = 6

const FIRST_DELAY_MS = 15_000
const GROWTH = 3
// Of many calls that failed together each comes back at a time of its own.
const JITTER = 0.2

/** How long to wait after a number of failed tries; null when that was the last. */
export function retryDelayMs(failedTries: number, random: () => number): number | null {
  if (failedTries >= MOST_TRIES) return null
  const nominalMs = FIRST_DELAY_MS * GROWTH ** (failedTries - 1)
  return Math.round(nominalMs * (1 - JITTER + 2 * JITTER * random()))
}
