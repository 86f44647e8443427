import type { UsageLimit, UsagePeriod } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { KeyMoney } from './money.ts'
import type { DailySpend } from './storage.ts'

export type Metric = 'requests' | 'tokens'

/** A share of one window: who owns the window, what it may hold, and how much of it this request takes. */
export interface WindowDemand {
  /** Owner and metric, such as `account:acc_1:requests`; unique among all windows. */
  readonly id: string
  readonly metric: Metric
  readonly limit: number
  readonly amount: number
}

export interface HoldDemand {
  readonly amountNano: NanoUsdt
  /** How far below zero the account may go; null is unlimited. */
  readonly creditLineNano: NanoUsdt | null
  readonly usageLimit: UsageLimit | null
}

export interface Demand {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly windows: readonly WindowDemand[]
  readonly hold: HoldDemand
}

/** Where a window stands, for the rate-limit headers. */
export interface WindowReading {
  readonly metric: Metric
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
}

export type Refusal =
  | { readonly reason: 'window'; readonly window: WindowDemand; readonly retryAfterSeconds: number }
  | { readonly reason: 'key-spending-limit' }
  | { readonly reason: 'balance' }

/** null: everything was taken. Otherwise nothing was. */
export type Decision = Refusal | null

/**
 * Who may spend what, right now. Windows, holds and balances live together because admitting is one atomic step:
 * either all of a demand is taken or none of it. In memory on one node; a shared store may stand behind it.
 */
export interface Admissions {
  admit(demand: Demand): Decision | Promise<Decision>
  /**
   * Replaces the hold of an admitted request by what it cost, which counts on the day it ended. Each request id counts
   * once.
   */
  settle(requestId: string, amountNano: NanoUsdt, endedAtMs: number): void
  /** Takes capacity of the supply side: all windows or none. */
  takeCapacity(windows: readonly WindowDemand[]): Decision | Promise<Decision>
  /** Where these windows stand; spends nothing. */
  read(windows: readonly WindowDemand[]): readonly WindowReading[]
  /** Whether a key has used up its fixed limit for the current period. */
  hasReachedLimit(keyId: string, limit: UsageLimit): boolean
  keyMoney(keyId: string, period: UsagePeriod): KeyMoney

  balanceNano(accountId: string): NanoUsdt
  /** A payment or adjustment that is already stored. */
  credit(accountId: string, amountNano: NanoUsdt): void
  /** What a key spent before this process knew it. */
  loadKeySpend(keyId: string, spends: readonly DailySpend[]): void
}
