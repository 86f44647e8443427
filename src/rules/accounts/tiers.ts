import type { Account, RateLimits, TierAssignment, TierName } from '../../vocabulary/account.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import { TIERS, type TierTable } from '../../vocabulary/records/tier.ts'

export { TIERS }

type TierFacts = Pick<Account, 'earnedTier' | 'tierAssignment'>

/** The tier in force: an unexpired assignment, else the earned one. */
export function effectiveTier(account: TierFacts, nowMs: number, tiers: TierTable = TIERS): TierName {
  const name = currentAssignment(account, nowMs)?.tier ?? account.earnedTier
  return tiers[name] === undefined ? tierEarnedBy(0n, tiers) : name
}

/** The rate limits of the account: those of its assignment where set, else those of its tier. */
export function accountLimits(account: TierFacts, nowMs: number, tiers: TierTable = TIERS): RateLimits {
  // Most accounts have no assignment.
  const assignment = account.tierAssignment === null ? null : currentAssignment(account, nowMs)
  const tier = tiers[assignment?.tier ?? account.earnedTier] ?? tiers[tierEarnedBy(0n, tiers)]
  return { rpm: assignment?.rpm ?? tier?.rpm ?? null, tpm: assignment?.tpm ?? tier?.tpm ?? null }
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

type PaidAccount = Pick<Account, 'earnedTier' | 'totalPaidNano'>

const KEEP: TierDecision = { kind: 'keep' }

/**
 * Decides what the evaluation does about one account. The evaluation is idempotent: after the change is applied, it
 * decides to keep.
 */
export function evaluateTier(account: PaidAccount, terms: TierTerms, tiers: TierTable = TIERS): TierDecision {
  const due = tierDue(account, tiers)
  if (due !== null) return { kind: 'raise', to: due }
  const heldFromNano = heldFrom(account, tiers)
  const settled: TierDecision = terms.doubtedSinceMs === null ? KEEP : { kind: 'trust' }
  // A tier that payments cannot earn is not lowered either.
  if (heldFromNano === null) return settled
  const to = tierEarnedBy(account.totalPaidNano, tiers)
  const earnedFromNano = tiers[to]?.earnedAtPaidNano ?? 0n
  return earnedFromNano === heldFromNano ? settled : decideOnDoubt(to, terms)
}

/** The higher tier that is paid for already and comes with the next evaluation; null when there is none. */
export function tierDue(account: PaidAccount, tiers: TierTable = TIERS): TierName | null {
  const heldFromNano = heldFrom(account, tiers)
  if (heldFromNano === null) return null
  const to = tierEarnedBy(account.totalPaidNano, tiers)
  return (tiers[to]?.earnedAtPaidNano ?? 0n) > heldFromNano ? to : null
}

/** What earns the tier that an account holds; null when payments do not. */
function heldFrom({ earnedTier }: PaidAccount, tiers: TierTable): NanoUsdt | null {
  const held = tiers[earnedTier]
  // A tier that no longer exists is below all others.
  return held === undefined ? -1n : held.earnedAtPaidNano
}

function decideOnDoubt(to: TierName, { nowMs, graceMs, doubtedSinceMs }: TierTerms): TierDecision {
  if (graceMs === null) return doubtedSinceMs === null ? KEEP : { kind: 'trust' }
  if (doubtedSinceMs === null) return { kind: 'doubt', to }
  return nowMs - doubtedSinceMs >= graceMs ? { kind: 'lower', to } : KEEP
}

/** The highest tier that this total earns automatically. */
export function tierEarnedBy(totalPaidNano: NanoUsdt, tiers: TierTable = TIERS): TierName {
  let best: TierName | null = null
  let bestFromNano: NanoUsdt = -1n
  for (const [name, { earnedAtPaidNano: fromNano }] of Object.entries(tiers)) {
    if (fromNano === null || fromNano > totalPaidNano || fromNano <= bestFromNano) continue
    best = name
    bestFromNano = fromNano
  }
  // Operators cannot remove the last tier that costs nothing.
  return best ?? Object.keys(tiers)[0] ?? 'Starter'
}

/** The next tier that payments earn above this one; null when there is none or payments do not earn this one. */
export function tierAbove(name: TierName, tiers: TierTable): { name: TierName; fromNano: NanoUsdt } | null {
  const heldFromNano = tiers[name]?.earnedAtPaidNano ?? null
  if (heldFromNano === null) return null
  let next: { name: TierName; fromNano: NanoUsdt } | null = null
  for (const [each, { earnedAtPaidNano: fromNano }] of Object.entries(tiers)) {
    if (fromNano === null || fromNano <= heldFromNano) continue
    if (next === null || fromNano < next.fromNano) next = { name: each, fromNano }
  }
  return next
}
