import type { Account, RateLimits, TierAssignment, TierName } from '../../vocabulary/account.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'

export interface Tier {
  readonly rpm: number
  readonly tpm: number
  /** The total paid that earns this tier automatically; null when only an operator can assign it. */
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

/** The rate limits of the account: those of its assignment where set, else those of its tier. */
export function accountLimits(account: TierFacts, nowMs: number): RateLimits {
  // Most accounts have no assignment.
  const assignment = account.tierAssignment === null ? null : currentAssignment(account, nowMs)
  const tier = TIERS[assignment?.tier ?? account.earnedTier]
  return { rpm: assignment?.rpm ?? tier.rpm, tpm: assignment?.tpm ?? tier.tpm }
}

/** An expired assignment that is still stored; null when there is none. */
export function endedAssignment(account: TierFacts, nowMs: number): TierAssignment | null {
  return currentAssignment(account, nowMs) === null ? account.tierAssignment : null
}

function currentAssignment(account: TierFacts, nowMs: number): TierAssignment | null {
  const assignment = account.tierAssignment
  if (assignment === null) return null
  return assignment.expiresAtMs === null || assignment.expiresAtMs > nowMs ? assignment : null
}

/** What the evaluation knows about an account besides its tier: since when the tier is no longer earned. */
export interface TierTerms {
  readonly nowMs: number
  /** The grace period of a tier that is no longer earned; null when tiers are never lowered automatically. */
  readonly graceMs: number | null
  /** When the tier was first found to be no longer earned; null while it is earned. */
  readonly doubtedSinceMs: number | null
}

export type TierDecision =
  | { readonly kind: 'keep' }
  | { readonly kind: 'raise'; readonly to: TierName }
  /** The tier is no longer earned; its grace period begins. */
  | { readonly kind: 'doubt'; readonly to: TierName }
  /** The tier is earned again, or tiers are no longer lowered, before the grace period ended. */
  | { readonly kind: 'trust' }
  | { readonly kind: 'lower'; readonly to: TierName }

type TierTable = Readonly<Record<TierName, Tier>>
type PaidAccount = Pick<Account, 'earnedTier' | 'totalPaidNano'>

const KEEP: TierDecision = { kind: 'keep' }

/**
 * Decides what the evaluation does about one account. The evaluation is idempotent: after the change is applied, it
 * decides to keep.
 */
export function evaluateTier(account: PaidAccount, terms: TierTerms, tiers: TierTable = TIERS): TierDecision {
  const heldFromNano = tiers[account.earnedTier].earnedAtPaidNano
  const settled: TierDecision = terms.doubtedSinceMs === null ? KEEP : { kind: 'trust' }
  // A tier that payments cannot earn is not lowered either.
  if (heldFromNano === null) return settled
  const to = tierEarnedBy(account.totalPaidNano, tiers)
  const earnedFromNano = tiers[to].earnedAtPaidNano ?? 0n
  if (earnedFromNano > heldFromNano) return { kind: 'raise', to }
  return earnedFromNano === heldFromNano ? settled : decideOnDoubt(to, terms)
}

function decideOnDoubt(to: TierName, { nowMs, graceMs, doubtedSinceMs }: TierTerms): TierDecision {
  if (graceMs === null) return doubtedSinceMs === null ? KEEP : { kind: 'trust' }
  if (doubtedSinceMs === null) return { kind: 'doubt', to }
  return nowMs - doubtedSinceMs >= graceMs ? { kind: 'lower', to } : KEEP
}

/** The highest tier that this total earns automatically. */
export function tierEarnedBy(totalPaidNano: NanoUsdt, tiers: TierTable = TIERS): TierName {
  let best: TierName = 'Starter'
  let bestFromNano: NanoUsdt = -1n
  for (const name of Object.keys(tiers) as TierName[]) {
    const fromNano = tiers[name].earnedAtPaidNano
    if (fromNano === null || fromNano > totalPaidNano || fromNano <= bestFromNano) continue
    best = name
    bestFromNano = fromNano
  }
  return best
}
