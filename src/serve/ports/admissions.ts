import type { UsageLimit, UsagePeriod } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'

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
  /** What the request may cost at most. */
  readonly amountNano: NanoUsdt
  /**
   * What must be held at least: when there is less than `amountNano` but at least this, what there is is held. Absent
   * when the whole amount must be.
   */
  readonly leastNano?: NanoUsdt
  /** How far below zero the account may go; null is unlimited. */
  readonly creditLineNano: NanoUsdt | null
  readonly usageLimit: UsageLimit | null
}

export interface Demand {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  /** Of the snapshot by which the request was judged. */
  readonly configurationVersion: number
  readonly windows: readonly WindowDemand[]
  readonly hold: HoldDemand
  /** The id of a conversation that should stay with one credential; null when there is none. */
  readonly conversation: string | null
}

/** The state of a window, for the rate-limit headers. */
export interface WindowReading {
  readonly metric: Metric
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
}

export type AdmissionRefusal =
  | { readonly reason: 'window'; readonly window: WindowDemand; readonly retryAfterSeconds: number }
  | { readonly reason: 'key-spending-limit' }
  | { readonly reason: 'balance' }
  /** Another node has changed the configuration since; read it and decide again. */
  | { readonly reason: 'configuration-changed' }
  /** It is not known at the moment whether there is room. */
  | { readonly reason: 'unavailable'; readonly message: string }

/** Everything was taken, but only this much is held. */
export interface PartialHold {
  readonly reason: 'partial-hold'
  readonly heldNano: NanoUsdt
}

/** null: everything was taken. A refusal: nothing was. */
export type Decision = AdmissionRefusal | null

/** A partial hold is for demands that name the least that must be held. */
export type HoldDecision = Decision | PartialHold

/** A larger hold for an admitted request. */
export interface Growth extends CallerIds {
  readonly requestId: string
  /** What is to be held for the request altogether. */
  readonly amountNano: NanoUsdt
  /** As in the demand. */
  readonly creditLineNano: NanoUsdt | null
  readonly usageLimit: UsageLimit | null
}

/** Which option was taken; or for each of them, whole seconds until it has room. */
export type Choice =
  | { readonly taken: number }
  | { readonly taken: null; readonly retryAfterSeconds: readonly number[] }

export type CallerIds = Pick<Demand, 'accountId' | 'keyId'>

/**
 * Who may spend what, right now. Windows, holds and balances live together because admitting is one atomic step:
 * either all of a demand is taken or none of it. In memory on one node; a shared store may stand behind it.
 */
export interface Admissions extends Money {
  admit(demand: Demand): HoldDecision | Promise<HoldDecision>
  /**
   * Raises the hold of a request that is under way, as one atomic step. False when there is no room or no such request;
   * the hold is then unchanged. A hold that is already as large stays as it is.
   */
  grow(growth: Growth): boolean | Promise<boolean>
  /**
   * Replaces the hold of an admitted request by what it cost, which counts on the day it ended. Each request id counts
   * once.
   */
  settle(requestId: string, amountNano: NanoUsdt, endedAtMs: number): void
  /** Takes capacity of the supply side, or of an account when the windows are a caller's: all windows or none. */
  takeCapacity(windows: readonly WindowDemand[], accountId?: string): Decision | Promise<Decision>
  /** Takes all windows of the first option that has room; one without windows always has. */
  takeFirst(options: readonly (readonly WindowDemand[])[]): Choice | Promise<Choice>
  /** The state of these windows, as far as this node knows; spends nothing. */
  read(windows: readonly WindowDemand[]): readonly WindowReading[]
  /** Brings what this node knows of a caller up to date: its windows, and what its key has spent. */
  catchUp(caller: CallerIds, windows: readonly WindowDemand[]): void | Promise<void>
  /** What the requests of this node hold right now. */
  openHolds(): OpenHolds
  /** Whether a key has used up its fixed limit for the current period. */
  hasReachedLimit(keyId: string, limit: UsageLimit): boolean
}

export interface OpenHolds {
  readonly count: number
  readonly heldNano: NanoUsdt
}

/** What a key has spent in the present period, and what its requests under way may cost at most. */
export interface KeyMoney {
  readonly spentNano: NanoUsdt
  readonly heldNano: NanoUsdt
}

export interface MoneyOwners {
  readonly accountIds?: readonly string[]
  readonly keyIds?: readonly string[]
}

/** The money state the request path decides on, kept in step with what is stored. */
export interface Money {
  /** 0 for an account without any ledger entry. */
  balanceNano(accountId: string): NanoUsdt
  /** Whether this node knows the balance; absent where all of them are known. */
  knowsBalance?(accountId: string): boolean
  /** Adds a stored payment or adjustment, which may be negative. Resolves when it can be spent. */
  credit(accountId: string, amountNano: NanoUsdt): void | Promise<void>
  keyMoney(keyId: string, period: UsagePeriod): KeyMoney
  /** Brings what this node knows of these up to date, where other nodes move money as well. */
  refresh(owners: MoneyOwners): void | Promise<void>
}
