import { AccountView, EffectiveLimit, RateLimits } from './account.ts'
import { AlertView } from './alert.ts'
import { amount, choice, choices, flag, integer, list, text, time } from './field.ts'
import { shape, type Value } from './shape.ts'
import { Model, Price } from './supply.ts'
import { FORMATS, TIER_NAMES } from './words.ts'

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

/** What the first page of the console shows of an account. */
export const Overview = AccountStanding.with('Overview', {
  account: AccountView.field,
  alerts: list(AlertView.field),
})

/** A model as one account may use it. */
export const AccountModel = Model.pick('AccountModel', [
  'id',
  'displayName',
  'description',
  'ownedBy',
  'kinds',
  'inputTokenLimit',
  'outputTokenLimit',
]).with('AccountModel', {
  formats: choices(FORMATS),
  suppliers: list(text()).example(['openai']),
  source: choice(['shared', 'byok', 'mixed']),
  isRouteable: flag().as('routeable'),
  price: Price.field.note('Of the cheapest route.'),
  limits: EffectiveLimit.field,
})
export type AccountModel = Value<typeof AccountModel>
