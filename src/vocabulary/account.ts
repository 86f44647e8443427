import type { NanoUsdt } from './money.ts'

export const TIER_NAMES = ['Starter', 'Builder', 'Scale', 'Enterprise', 'Trial'] as const
export type TierName = (typeof TIER_NAMES)[number]

/** Requests and tokens per minute; null means no limit of that kind. */
export interface RateLimits {
  readonly rpm: number | null
  readonly tpm: number | null
}

/** An operator's decision about an account's tier, which outranks the earned tier until it ends. */
export interface TierAssignment {
  readonly tier: TierName
  readonly rpm: number | null
  readonly tpm: number | null
  readonly expiresAtMs: number | null
  readonly reason: string
  readonly assignedBy: string
}

export interface Account {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly earnedTier: TierName
  readonly tierAssignment: TierAssignment | null
  readonly totalPaidNano: NanoUsdt
  /** How far below zero the balance may go; null is unlimited. */
  readonly creditLineNano: NanoUsdt | null
  /** A balance below this is worth an alert; null: none is. */
  readonly balanceAlertNano: NanoUsdt | null
  readonly createdAtMs: number
}
