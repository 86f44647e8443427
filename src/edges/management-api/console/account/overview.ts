import { GatewayError } from '../../../../errors/gateway-error.ts'
import { type TimeRange, USAGE_GROUPINGS } from '../../../../manage/ports/console.ts'
import { SPAN_MS, spanStartMs } from '../../../../rules/ledger/aggregate.ts'
import { AccountModel, AccountUsagePoint, Overview } from '../../../../vocabulary/account.ts'
import { choice, time } from '../../../../vocabulary/field.ts'
import { SettlementFilter, USAGE_SPANS, type UsageSpan } from '../../../../vocabulary/settlement.ts'
import { listOf, one, wholeListOf } from '../../endpoint.ts'
import { ACCOUNT_PATH, consoleDefiner } from '../console-endpoint.ts'
import { type AccountApiParts, concealed, concealFor } from './parts.ts'

const define = consoleDefiner<AccountApiParts>()
const common = { tag: 'Console: account', access: 'member', method: 'GET' } as const
const range = {
  fromMs: time().note('The beginning; thirty days before the end when it is left out.'),
  toMs: time().note('The end, which is no part of the range; now when it is left out.'),
}

/** Where an account stands, and what it uses. */
export const accountOverviewEndpoints = [
  define({
    ...common,
    path: `${ACCOUNT_PATH}/overview`,
    id: 'consoleShowOverview',
    summary: 'Show where an account stands',
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
    summary: 'List what an account used',
    query: {
      ...range,
      granularity: choice(USAGE_SPANS).note(
        'The span that usage is added up over; a day when it is left out.',
      ),
      groupBy: choice(USAGE_GROUPINGS).note('What the answer tells apart.'),
    },
    answer: listOf(AccountUsagePoint),
    handle: ({ account, clock }, { query, page, visit }) => {
      const { granularity: span = 'day', groupBy = 'none' } = query
      const wanted = rangeOf(query, clock.nowMs())
      requireReasonable(wanted, span)
      return account.listUsage(visit.accountId, { ...wanted, span, groupBy, cursor: page.cursor })
    },
  }),
  define({
    ...common,
    path: `${ACCOUNT_PATH}/models`,
    id: 'consoleListModels',
    summary: 'List what any key of the account could use, or what this one can',
    query: { keyId: SettlementFilter.fields.keyId },
    answer: wholeListOf(AccountModel),
    handle: ({ account }, { query, visit }) => account.listModels(visit.accountId, query.keyId ?? null),
  }),
]

const USUAL_DAYS = 30
const LONGEST_MS: Readonly<Record<UsageSpan, number>> = { hour: 32 * SPAN_MS.day, day: 800 * SPAN_MS.day }

/** The last thirty days when nothing is said. */
function rangeOf(given: Partial<TimeRange>, nowMs: number): TimeRange {
  // The end is no part of a range, and what happens this very moment is.
  const toMs = given.toMs ?? nowMs + 1
  const fromMs = given.fromMs ?? spanStartMs('day', toMs - USUAL_DAYS * SPAN_MS.day)
  if (fromMs >= toMs) throw new GatewayError('invalid_request', 'from must lie before to.', { param: 'from' })
  return { fromMs, toMs }
}

function requireReasonable({ fromMs, toMs }: TimeRange, span: UsageSpan): void {
  if (toMs - fromMs <= LONGEST_MS[span]) return
  const days = LONGEST_MS[span] / SPAN_MS.day
  throw new GatewayError('invalid_request', `By ${span}, usage is told for at most ${days} days.`, {
    param: 'from',
  })
}
