import type { Account, TierName } from '../../vocabulary/account.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import { TIERS, type Tier } from './tiers.ts'

/** What the evaluation knows of an account besides its tier: whether, and since when, its tier is in doubt. */
export interface TierTerms {
  readonly nowMs: number
  /** How long a tier is kept that what was paid no longer earns; null when no tier is ever lowered by itself. */
  readonly graceMs: number | null
  /** When the tier was first found not to be earned; null when it was not. */
  readonly doubtedSinceMs: number | null
}

export type TierDecision =
  | { readonly kind: 'keep' }
  | { readonly kind: 'raise'; readonly to: TierName }
  /** The tier is not earned any more; its grace period begins. */
  | { readonly kind: 'doubt'; readonly to: TierName }
  /** The tier is earned again, or is not lowered any more, before its grace period was over. */
  | { readonly kind: 'trust' }
  | { readonly kind: 'lower'; readonly to: TierName }

type TierTable = Readonly<Record<TierName, Tier>>
type PaidAccount = Pick<Account, 'earnedTier' | 'totalPaidNano'>

const KEEP: TierDecision = { kind: 'keep' }

/**
 * What the evaluation does about one account. Asked again after that was done, it decides to keep: an evaluation may
 * run as often as anybody likes.
 */
export function evaluateTier(account: PaidAccount, terms: TierTerms, tiers: TierTable = TIERS): TierDecision {
  const heldFromNano = tiers[account.earnedTier].earnedAtPaidNano
  const settled: TierDecision = terms.doubtedSinceMs === null ? KEEP : { kind: 'trust' }
  // A tier that payments do not earn cannot be lost by them.
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

/** The highest tier this total earns without anyone acting. */
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
