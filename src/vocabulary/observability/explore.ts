import { choice, flag, id, integer, list, text, time } from '../field.ts'
import { UsageFilter } from '../settlement.ts'
import { shape, type Value } from '../shape.ts'
import { EXPLORE_GROUPS, EXPLORE_METRICS, EXPLORE_SPANS, EXPLORE_UNITS } from '../words.ts'

export type ExploreMetric = (typeof EXPLORE_METRICS)[number]
export type ExploreGroup = (typeof EXPLORE_GROUPS)[number]
export type ExploreSpan = (typeof EXPLORE_SPANS)[number]
export type ExploreUnit = (typeof EXPLORE_UNITS)[number]

const MOST_SERIES = 20
export const USUAL_SERIES = 7

/** What an operator can ask. */
export const ExploreQuery = shape('ExploreQuery', {
  metric: choice(EXPLORE_METRICS).note('What to show; `spend` by default.'),
  groupBy: choice(EXPLORE_GROUPS).note('What to tell apart; `none` by default.').example('model'),
  granularity: choice(EXPLORE_SPANS)
    .note('The length of each period (UTC); `day` by default.')
    .example('day'),
  fromMs: time().note('Start of the range; 30 days before the end by default. Periods are whole.'),
  toMs: time().note('End of the range, exclusive; now by default.'),
  isCompared: flag().as('compare').note('Whether to add the same number of periods before.').example(false),
  top: integer({ min: 1, max: MOST_SERIES })
    .note(`How many groups have a series of their own; ${USUAL_SERIES} by default. All others are one more.`)
    .example(USUAL_SERIES),
  ...UsageFilter.pick('ExploreFilter', ['accountId', 'keyId', 'model', 'supplier', 'session', 'agent'])
    .fields,
})
export type ExploreQuery = Partial<Value<typeof ExploreQuery>>

const ACCOUNT_METRICS = EXPLORE_METRICS.filter((metric) => metric !== 'cost' && metric !== 'margin')
const ACCOUNT_GROUPS = EXPLORE_GROUPS.filter((group) => group !== 'account')

/** What a member of an account can ask. */
export const AccountExploreQuery = ExploreQuery.without('AccountExploreQuery', ['accountId']).with(
  'AccountExploreQuery',
  {
    metric: choice(ACCOUNT_METRICS).note('What to show; `spend` by default.'),
    groupBy: choice(ACCOUNT_GROUPS).note('What to tell apart; `none` by default.').example('model'),
  },
)

// One type for all metrics, in which amounts stay exact.
const value = () =>
  text()
    .nullable()
    .note('A decimal; null where there is nothing to divide by or to take a percentile of.')
    .example('1.25')

const ExploreSeries = shape('ExploreSeries', {
  group: text()
    .nullable()
    .note(
      'The id or name of the group; null for requests without one, for all groups together, and for the rest.',
    )
    .example('gpt-5'),
  isRest: flag().as('rest').note('Whether it is all groups without a series of their own.').example(false),
  total: value().note('Of the whole range.'),
  values: list(value()).note('Of each period.'),
  totalBefore: value().note('Of the range before; null without `compare`.'),
  valuesBefore: list(value()).note('Of each period before; empty without `compare`.'),
})
export type ExploreSeries = Value<typeof ExploreSeries>

const ExploreForecast = shape('ExploreForecast', {
  monthMs: time().as('month').note('When the month began.').example('2027-01-01T00:00:00Z'),
  soFar: text().note('Of the month up to now.').example('12.5'),
  expected: text()
    .note('Of the whole month: so far, and for the time left the mean of the last whole days.')
    .example('31'),
  days: integer()
    .note('How many whole days the mean is of: the last 7, or all since the first one.')
    .example(7),
})
export type ExploreForecast = Value<typeof ExploreForecast>

const moment = text().example('2027-01-01T00:00:00Z')

export const ExploreAnswer = shape('Explore', {
  metric: choice(EXPLORE_METRICS),
  unit: choice(EXPLORE_UNITS),
  groupBy: choice(EXPLORE_GROUPS).example('model'),
  granularity: choice(EXPLORE_SPANS).example('day'),
  periods: list(moment).note('When each period starts.'),
  periodsBefore: list(moment).note('When each period before starts; empty without `compare`.'),
  all: ExploreSeries.field.note('All groups together.'),
  series: list(ExploreSeries.field).note('The largest groups, then the rest; empty without `group_by`.'),
  forecast: ExploreForecast.field
    .nullable()
    .note(
      'Of this month, with the same filters; null for metrics that are no sums, and before the first whole day.',
    ),
  countedFromMs: time()
    .nullable()
    .note('When counting of this metric began, if it began within the range; null otherwise.')
    .example(null),
})
export type ExploreAnswer = Value<typeof ExploreAnswer>

const LONGEST_SEARCH = 2_000

/** A named view of Explore. All members of the account share its views, and all operators theirs. */
export const StoredView = shape('StoredView', {
  id: id('view'),
  /** Empty for the views of operators. */
  accountId: text(),
  name: text(80).example('Spend by model'),
  search: text(LONGEST_SEARCH)
    .note('What follows the `?` of its address, without the account.')
    .example('metric=spend&by=model'),
  createdBy: text().note('The user who saved it.').example('user:ada@example.com'),
  createdAtMs: time(),
})
export type StoredView = Value<typeof StoredView>

export const SavedView = StoredView.without('SavedView', ['accountId'])
export const SavedViewPut = StoredView.pick('SavedViewPut', ['name', 'search']).draft
export type SavedViewPut = ReturnType<(typeof SavedViewPut)['read']>
