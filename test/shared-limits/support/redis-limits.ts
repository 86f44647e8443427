import { openRedisLimits } from '../../../src/edges/redis/index.ts'
import type { RedisLimits } from '../../../src/edges/redis/redis-limits.ts'
import type { AdmitCall, SharedLimits } from '../../../src/serve/ports/shared-limits.ts'
import type { KeyTotals } from '../../../src/serve/ports/shared-storage.ts'
import type { Clock } from '../../../src/vocabulary/clock.ts'
import type { NanoUsdt } from '../../../src/vocabulary/money.ts'

export const GENERATION = 'generation-1'

// Long, because the machine that runs the tests may be busy; what a deadline does is tested on its own.
const PATIENT_MS = 10_000

export interface TestLimitsOptions {
  readonly nodeId?: string
  readonly prefix?: string
  readonly deadlineMs?: number
  readonly clock?: Clock
  readonly onTrouble?: (message: string) => void
}

/** Unique names, since several tests share a server. */
export function uniquePrefix(): string {
  return `test-${crypto.randomUUID()}:`
}

export function openTestLimits(url: string, options: TestLimitsOptions = {}): RedisLimits {
  const { clock, nodeId = 'node-1', prefix = uniquePrefix() } = options
  return openRedisLimits({
    url,
    nodeId,
    prefix,
    deadlineMs: options.deadlineMs ?? PATIENT_MS,
    onTrouble: options.onTrouble ?? (() => {}),
    ...(clock === undefined ? {} : { clock }),
  })
}

/** Resolves when the connection stands, for the first time or again. */
export function whenConnected(sharedLimits: RedisLimits): Promise<void> {
  return new Promise((resolve) => {
    const forget = sharedLimits.onConnected(() => {
      forget()
      resolve()
    })
  })
}

export async function openConnectedLimits(
  url: string,
  options: TestLimitsOptions = {},
): Promise<RedisLimits> {
  const sharedLimits = openTestLimits(url, options)
  await whenConnected(sharedLimits)
  return sharedLimits
}

export function keyTotals(keyId: string, spentNano: NanoUsdt, startDay = 0): KeyTotals {
  const total = { startDay, spentNano }
  return {
    keyId,
    totals: { daily: total, weekly: total, monthly: total, forever: { startDay: 0, spentNano } },
  }
}

/** Begins the generation and makes an account known. */
export async function loadAccount(
  sharedLimits: SharedLimits,
  accountId: string,
  balanceNano: NanoUsdt = 1_000_000n,
): Promise<void> {
  await sharedLimits.beginGeneration(GENERATION)
  await sharedLimits.learn(accountId, {
    generation: GENERATION,
    stored: [],
    balance: { balanceNano, version: 1n },
    keys: [keyTotals('key-1', 0n)],
    isLoad: true,
  })
}

export function admitCall(change: Partial<AdmitCall> = {}): AdmitCall {
  return {
    requestId: crypto.randomUUID(),
    accountId: 'account-1',
    keyId: 'key-1',
    generation: GENERATION,
    configurationVersion: 1,
    windows: [],
    hold: { amountNano: 0n, creditLineNano: 0n, usageLimit: null },
    conversation: null,
    ...change,
  }
}
