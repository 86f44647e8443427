import { GatewayError } from '../../../../errors/gateway-error.ts'
import { type TimeRange, USAGE_GROUPINGS } from '../../../../manage/ports/console.ts'
import { SPAN_MS, spanStartMs } from '../../../../rules/ledger/aggregate.ts'
import { AccountModel, AccountUsagePoint, Overview } from '../../../../vocabulary/account.ts'
import { choice, integer, time } from '../../../../vocabulary/field.ts'
import { SettlementFilter, USAGE_SPANS, type UsageSpan } from '../../../../vocabulary/settlement.ts'
import { listOf, one, wholeListOf } from '../../endpoint.ts'
import { ACCOUNT_PATH, consoleDefiner } from '../console-endpoint.ts'
import { type AccountApiParts, concealed, concealFor } from './parts.ts'

const define = consoleDefiner<AccountApiParts>()
const common = { tag: 'Console: account', access: 'see-account', method: 'GET' } as const
// By the hour over the longest range, they are as many points as a question may have.
const MOST_GROUPS = 20
const range = {
  fromMs: time().note('Start of the range; 30 days before the end by default.'),
  toMs: time().note('End of the range, exclusive; now by default.'),
}

/** The balance, limits and usage of an account. */
export const accountOverviewEndpoints = [
  define({
    ...common,
    path: `${ACCOUNT_PATH}/overview`,
    id: 'consoleShowOverview',
    summary: 'Show the overview of an account',
    query: range,
    answer: concealed(one(Overview)),
    handle: async (parts, { query, visit }) => {
      const { accountId } = visit
      const [account, standing, alerts] = await Promise.all([
        parts.operations.findAccount(accountId),
        parts.account.overview(accountId, rangeOf(query, parts.clock.nowMs())),
        parts.operations.listAlerts({ accountId }, { limit: 5, cursor: null }),
      ])
      return concealFor(parts, visit, { account, ...standing, alerts: alerts.data })
    },
  }),
  define({
    ...common,
    path: `${ACCOUNT_PATH}/usage`,
    id: 'consoleListUsage',
    summary: 'List the usage of an account',
    query: {
      ...range,
      granularity: choice(USAGE_SPANS).note('The length of each period; `day` by default.'),
      groupBy: choice(USAGE_GROUPINGS).note('How usage is grouped.'),
      keyId: SettlementFilter.fields.keyId,
      top: integer({ min: 1, max: MOST_GROUPS }).note(
        'Tells only so many groups apart, those that cost the most, and adds up the others. The list is whole then.',
      ),
    },
    answer: concealed(listOf(AccountUsagePoint)),
    handle: async (parts, { query, page, visit }) => {
      const { granularity: span = 'day', groupBy = 'none', keyId, top } = query
      const wanted = rangeOf(query, parts.clock.nowMs())
      requireReasonable(wanted, span)
      const question = { ...wanted, span, groupBy, keyId, top, cursor: page.cursor }
      return concealFor(parts, visit, await parts.account.listUsage(visit.accountId, question))
    },
  }),
  define({
    ...common,
    path: `${ACCOUNT_PATH}/models`,
    id: 'consoleListModels',
    summary: 'List the models that a key of the account can use, or that any key could use',
    query: { keyId: SettlementFilter.fields.keyId },
    answer: wholeListOf(AccountModel),
    handle: ({ account }, { query, visit }) => account.listModels(visit.accountId, query.keyId ?? null),
  }),
]

const USUAL_DAYS = 30
const LONGEST_MS: Readonly<Record<UsageSpan, number>> = { hour: 32 * SPAN_MS.day, day: 800 * SPAN_MS.day }

/** The last 30 days by default. */
function rangeOf(given: Partial<TimeRange>, nowMs: number): TimeRange {
  // The end is exclusive, but the current moment belongs to the range.
  const toMs = given.toMs ?? nowMs + 1
  const fromMs = given.fromMs ?? spanStartMs('day', toMs - USUAL_DAYS * SPAN_MS.day)
  if (fromMs >= toMs) throw new GatewayError('invalid_request', 'from must be before to.', { param: 'from' })
  return { fromMs, toMs }
}

function requireReasonable({ fromMs, toMs }: TimeRange, span: UsageSpan): void {
  if (toMs - fromMs <= LONGEST_MS[span]) return
  const days = LONGEST_MS[span] / SPAN_MS.day
  throw new GatewayError('invalid_request', `Usage by ${span} is available for at most ${days} days.`, {
    param: 'from',
  })
}
