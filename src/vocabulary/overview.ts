import { AccountView, RateLimits, TIER_NAMES, TierAssignment } from './account.ts'
import { amount, choice, integer, text, time } from './field.ts'
import { shape, type Value } from './shape.ts'

const tokens = { input: integer(), cacheRead: integer(), cacheWrite: integer(), output: integer() }
const averages = {
  images: integer(),
  amountNano: amount(),
  /** Null when nothing was answered. */
  firstByteMsAvg: integer().nullable(),
  durationMsAvg: integer().nullable(),
}

export const UsageTotals = shape('UsageTotals', {
  requests: integer(),
  failed: integer(),
  tokens: shape('UsedTokens', tokens).field,
  ...averages,
})
export type UsageTotals = Value<typeof UsageTotals>

/** What an account used in one span, of one group. */
export const AccountUsagePoint = shape('AccountUsagePoint', {
  startMs: time().as('at'),
  group: text().nullable().note('The model, key or supplier that the usage is of; null when it is of all.'),
  requests: integer(),
  failed: integer(),
  ...tokens,
  ...averages,
})
export type AccountUsagePoint = Value<typeof AccountUsagePoint>

/** The next tier that paying earns. */
const NextTier = shape('NextTier', {
  name: choice(TIER_NAMES),
  neededNano: amount().as('total_paid_needed'),
  remainingNano: amount(),
})
export type NextTier = Value<typeof NextTier>

/** An account as its members see it: why an operator decided on a tier, and which one did, is the operators' business. */
export const MemberAccount = AccountView.with('MemberAccount', {
  tierAssignment: TierAssignment.without('MemberTierAssignment', ['reason', 'assignedBy']).field.nullable(),
})

export const AccountStanding = shape('AccountStanding', {
  tier: shape('TierStanding', {
    name: choice(TIER_NAMES),
    next: NextTier.field.nullable(),
    limits: RateLimits.field,
  }).field,
  spend: shape('Spend', { todayNano: amount(), monthNano: amount() }).field,
  totals: UsageTotals.field,
  keys: shape('KeyCount', { active: integer(), total: integer() }).field,
})
export type AccountStanding = Value<typeof AccountStanding>
