import { AlertView } from './alert.ts'
import { amount, choice, choices, flag, id, integer, limit, list, percent, text, time } from './field.ts'
import { Price } from './price.ts'
import { listQuery } from './runtime/list-query.ts'
import { shape, type Value } from './shape.ts'
import { Model } from './supply.ts'
import { FORMATS } from './words.ts'

/** The name of a tier, built in or set up by operators. */
export type TierName = string

const tierName = () => text(60).example('Starter')

/** Requests and tokens per minute; null means no limit of that kind. */
export const RateLimits = shape('RateLimits', { rpm: limit(), tpm: limit() })
export type RateLimits = Value<typeof RateLimits>

/** The owner of a limit, in order of precedence when several limits are equal. */
export const CONSTRAINTS = ['account', 'key', 'model', 'routes', 'credentials'] as const
export type Constraint = (typeof CONSTRAINTS)[number]

const BindingLimit = shape('BindingLimit', { value: integer({ min: 1 }), constraint: choice(CONSTRAINTS) })
export type BindingLimit = Value<typeof BindingLimit>

/** The effective limits of a key for a model; null means unlimited. */
export const EffectiveLimit = shape('EffectiveLimit', {
  rpm: BindingLimit.field.nullable(),
  tpm: BindingLimit.field.nullable(),
})
export type EffectiveLimit = Value<typeof EffectiveLimit>

const reason = text(2_000).example('Contract of March')

/** A tier that an operator assigned. It overrides the earned tier until it expires. */
export const TierAssignment = shape('TierAssignment', {
  tier: tierName(),
  rpm: limit().note("Overrides the tier's limit."),
  tpm: limit().note("Overrides the tier's limit."),
  expiresAtMs: time().nullable().default(null).note('RFC 3339 time with an offset; null for never.'),
  reason,
  assignedBy: text().example('operator'),
})
export type TierAssignment = Value<typeof TierAssignment>

export const TierAssign = TierAssignment.without('TierAssign', ['assignedBy']).draft

const ACCOUNT_STATES = ['active', 'suspended', 'closed'] as const

export const Account = shape('StoredAccount', {
  id: id('acc'),
  name: text().example('Acme'),
  email: text(320, { min: 0 }).nullable().default(null).example('billing@acme.example'),
  earnedTier: tierName(),
  tierAssignment: TierAssignment.field.nullable(),
  totalPaidNano: amount(),
  creditLineNano: amount()
    .nullable()
    .default(0n)
    .note('How far below zero the balance may go; null is unlimited.'),
  balanceAlertNano: amount()
    .nullable()
    .default(null)
    .note('A balance below this raises an alert; null for none.'),
  state: choice(ACCOUNT_STATES)
    .default('active')
    .note('`suspended`: its keys are refused until it is reopened. `closed`: for good, kept for the books.'),
  stateReason: text(2_000)
    .nullable()
    .default(null)
    .note('Why it is suspended or closed; its members see it. null while it is active.')
    .example(null),
  createdAtMs: time(),
})
export type Account = Value<typeof Account>

export const AccountCreate = Account.pick('AccountCreate', ['name', 'email']).draft
export const AccountChange = Account.pick('AccountChange', [
  'name',
  'creditLineNano',
  'balanceAlertNano',
]).patch
/** Why an account is suspended or closed. */
export const StateReason = shape('StateReason', {
  reason: text(2_000).note('Its members see it.').example('Invoice 17 is unpaid'),
}).draft

export type AccountChange = ReturnType<(typeof AccountChange)['read']>

/** What owners change of their account. */
export const AccountRename = Account.pick('AccountRename', ['name']).draft

/** The balance at which members are warned. */
export const BalanceAlert = Account.pick('BalanceAlert', ['balanceAlertNano'])
export const BalanceAlertDraft = Account.pick('BalanceAlertDraft', ['balanceAlertNano']).draft

/** An account as operators see it, with its current tier and balance. */
export const AccountView = Account.with('Account', {
  /** The current tier: an unexpired assignment, or else the earned one. */
  tier: tierName(),
  tierDue: tierName()
    .nullable()
    .note('A higher earned tier that is paid for already and comes at the next full hour; null for none.')
    .example(null),
  limits: RateLimits.field,
  balanceNano: amount(),
})
export type AccountView = Value<typeof AccountView>

/** What a list of accounts may be narrowed to. */
export const AccountListQuery = shape('AccountListQuery', {
  ...listQuery(['name', 'created_at', 'balance', 'total_paid']),
  tier: tierName().note('Only accounts that have this tier at present.'),
})
export type AccountListQuery = Partial<Value<typeof AccountListQuery>>

/** An earned tier that an evaluation moved. */
const TierMove = shape('TierMove', {
  accountId: id('acc'),
  from: tierName(),
  to: tierName().example('Builder'),
})
export type TierMove = Value<typeof TierMove>

export const TierEvaluation = shape('TierEvaluation', {
  /** How many accounts were evaluated. */
  evaluated: integer(),
  /** The accounts that this evaluation raised. */
  raised: list(TierMove.field),
})
export type TierEvaluation = Value<typeof TierEvaluation>

const tokens = { input: integer(), cacheRead: integer(), cacheWrite: integer(), output: integer() }
const averages = {
  images: integer(),
  amountNano: amount(),
  costNano: amount().note('What suppliers charge.'),
  marginNano: amount().note('`amount` less `cost`.'),
  /** null when nothing was answered. */
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

/** The usage of one group in one period of an account. */
export const AccountUsagePoint = shape('AccountUsagePoint', {
  startMs: time().as('at'),
  group: text()
    .nullable()
    .note(
      'The model, key or supplier; null for all of them, for the rest, and for requests without a supplier.',
    ),
  isRest: flag().as('rest').note('Whether it is all groups beyond the `top` ones.').example(false),
  requests: integer(),
  failed: integer(),
  ...tokens,
  ...averages,
})
export type AccountUsagePoint = Value<typeof AccountUsagePoint>

/** The next tier that the account can earn by paying. */
const NextTier = shape('NextTier', {
  name: tierName(),
  neededNano: amount().as('total_paid_needed'),
  remainingNano: amount(),
})
export type NextTier = Value<typeof NextTier>

export const AccountStanding = shape('AccountStanding', {
  tier: shape('TierStanding', {
    name: tierName(),
    next: NextTier.field.nullable(),
    limits: RateLimits.field,
  }).field,
  spend: shape('Spend', { todayNano: amount(), monthNano: amount() }).field,
  totals: UsageTotals.field,
  keys: shape('KeyCount', { active: integer(), total: integer() }).field,
  refusals: shape('RefusedRequests', {
    count: integer().note('Requests of the range that were refused before they were admitted.'),
    fromMs: time()
      .nullable()
      .note(
        'The range begins before this time, and earlier ones are not counted any more; null when all are.',
      ),
  }).field,
})
export type AccountStanding = Value<typeof AccountStanding>

/** The overview page of an account. */
export const Overview = AccountStanding.with('Overview', {
  account: AccountView.field,
  alerts: list(AlertView.field),
})

/** A model that an account may use. */
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
  hasVision: flag().as('vision').note('Whether it reads images, as far as the catalog knows.').example(true),
  price: Price.field.note('The price of the cheapest route, with the mark-up of the account.'),
  markupBasisPoints: percent()
    .nullable()
    .as('markup_percent')
    .note('The mark-up that `price` contains, in percent; null for none.')
    .example(null),
  limits: EffectiveLimit.field,
})
export type AccountModel = Value<typeof AccountModel>
