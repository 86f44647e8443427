import type { Account, RateLimits, TierAssignment, TierName } from '../../vocabulary/account.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'

export interface Tier {
  readonly rpm: number
  readonly tpm: number
  /** The total ever paid that earns it without anyone acting; null when only an operator gives it. */
  readonly earnedAtPaidNano: NanoUsdt | null
}

/** The tiers of spec 8.2, automatic ones from lowest to highest. */
export const TIERS: Readonly<Record<TierName, Tier>> = {
  Starter: { rpm: 120, tpm: 2_000_000, earnedAtPaidNano: 0n },
  Builder: { rpm: 600, tpm: 10_000_000, earnedAtPaidNano: 10_000_000_000n },
  Scale: { rpm: 1_500, tpm: 30_000_000, earnedAtPaidNano: 200_000_000_000n },
  Enterprise: { rpm: 3_000, tpm: 60_000_000, earnedAtPaidNano: null },
  Trial: { rpm: 30, tpm: 500_000, earnedAtPaidNano: null },
}

type TierFacts = Pick<Account, 'earnedTier' | 'tierAssignment'>

/** The tier in force: an unexpired assignment, else the earned one. */
export function effectiveTier(account: TierFacts, nowMs: number): TierName {
  return currentAssignment(account, nowMs)?.tier ?? account.earnedTier
}

/** What the account may spend per minute: its assignment's own limits where set, else its tier's. */
export function accountLimits(account: TierFacts, nowMs: number): RateLimits {
  const assignment = currentAssignment(account, nowMs)
  const tier = TIERS[assignment?.tier ?? account.earnedTier]
  return { rpm: assignment?.rpm ?? tier.rpm, tpm: assignment?.tpm ?? tier.tpm }
}

/** The assignment whose time is over and that is still written down; null when there is none. */
export function endedAssignment(account: TierFacts, nowMs: number): TierAssignment | null {
  return currentAssignment(account, nowMs) === null ? account.tierAssignment : null
}

function currentAssignment(account: TierFacts, nowMs: number): TierAssignment | null {
  const assignment = account.tierAssignment
  if (assignment === null) return null
  return assignment.expiresAtMs === null || assignment.expiresAtMs > nowMs ? assignment : null
}
