import { createHmac } from 'node:crypto'
import type { Budget } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'

/** The thresholds (percent) that the spend has reached and that are above the last reported one. */
export function newThresholds(budget: Budget, spentNano: NanoUsdt, saidUpTo: number): number[] {
  return budget.thresholds.filter(
    (threshold) => threshold > saidUpTo && spentNano * 100n >= budget.amountNano * BigInt(threshold),
  )
}

/** Six tries take about half an hour with the waits between them. */
export const MAX_TRIES = 6

const FIRST_DELAY_MS = 15_000
const GROWTH = 3
// Jitter: calls that failed together are retried at different times.
const JITTER = 0.2

/** How long to wait after this many failed tries; null after the last. */
export function retryDelayMs(failedTries: number, random: () => number): number | null {
  if (failedTries >= MAX_TRIES) return null
  const nominalMs = FIRST_DELAY_MS * GROWTH ** (failedTries - 1)
  return Math.round(nominalMs * (1 - JITTER + 2 * JITTER * random()))
}

/**
 * The value of `turnpike-signature`. The time is signed too, so that a captured call cannot be replayed later.
 */
export function signWebhook(body: string, secret: string, nowMs: number): string {
  const timestamp = Math.floor(nowMs / 1_000)
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return `t=${timestamp},v1=${signature}`
}
