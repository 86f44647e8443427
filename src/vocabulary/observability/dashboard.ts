import { Account } from '../account.ts'
import { amount, choice, id, integer, list, text, time } from '../field.ts'
import { shape, type Value } from '../shape.ts'
import { CredentialView, Standing, Supplier } from '../supply.ts'
import { SystemStatus } from '../system.ts'
import { OperatorAlert } from './alert-channel.ts'

export const DASHBOARD_RANGES = ['day', 'week'] as const
export type DashboardRange = (typeof DASHBOARD_RANGES)[number]

const figures = {
  requests: integer().note('Answered, failed and refused ones together.').example(1_200),
  errors: integer().note('Requests that failed, and those that were refused.').example(14),
  amountNano: amount().note('What accounts paid.'),
  costNano: amount().note('What suppliers charge.'),
  marginNano: amount().note('`amount` less `cost`.'),
}

/** What all accounts together used. */
const DashboardTotals = shape('DashboardTotals', {
  ...figures,
  refused: integer().note('The part of `errors` that was refused before it reached a supplier.').example(9),
  firstByteMsAvg: integer().nullable().note('null when nothing was answered.').example(410),
})

const DashboardPoint = shape('DashboardPoint', { startMs: time().as('at'), ...figures })

const RefusalsByCode = shape('RefusalsByCode', {
  code: text().example('rate_limit_exceeded'),
  count: integer().example(9),
})

const AccountShare = Account.pick('AccountShare', ['name']).with('AccountShare', {
  accountId: id('acc'),
  balanceNano: amount(),
  ...figures,
})
export type AccountShare = Value<typeof AccountShare>

/** One supplier: how its routes are now, and what it did in the range. */
export const SupplierHealth = Supplier.pick('SupplierHealth', ['id', 'enabled']).with('SupplierHealth', {
  routes: integer().note('Enabled routes to it.').example(12),
  credentials: integer().note('Active credentials.').example(2),
  candidates: integer().note('Routes that can be used, counted for each credential.').example(24),
  open: integer().note('Candidates whose circuit is open.').example(0),
  coolingUntilMs: Standing.fields.coolingUntilMs,
  successRate: Standing.fields.successRate.note('Of the candidate that fails most.'),
  requests: integer().example(1_200),
  failed: integer().note('Requests that the supplier failed.').example(3),
  firstByteMsAvg: integer().nullable().example(410),
})
export type SupplierHealth = Value<typeof SupplierHealth>

const left = integer().nullable()

/** How much of its own limits a credential has left in this minute. */
export const CredentialLoad = CredentialView.pick('CredentialLoad', ['id', 'label', 'rpm', 'tpm']).with(
  'CredentialLoad',
  { supplierId: Supplier.fields.id.as('supplier'), remainingRequests: left, remainingTokens: left },
)
export type CredentialLoad = Value<typeof CredentialLoad>

const Capacity = SystemStatus.pick('DashboardCapacity', [
  'node',
  'streams',
  'memoryBytes',
  'database',
  'journal',
  'redis',
  'nodes',
]).with('DashboardCapacity', {
  limits: list(CredentialLoad.field).note('The credentials that are closest to a limit of their own.'),
})

/** A problem of the gateway itself. */
export const PlatformFinding = shape('PlatformFinding', {
  part: choice(['sink', 'alert_channel', 'refusals']).example('sink'),
  id: text().nullable().note('Of the sink or channel.').example('warehouse'),
  problem: choice(['fails', 'has_lost'])
    .note('`fails`: does not work now. `has_lost`: something was lost, and cannot be repaired.')
    .example('fails'),
  hint: text(2_000).example(
    'The last 3 tries failed: The receiver answered 503. Records waiting: 120, the oldest since 2026-06-10 12:00 UTC.',
  ),
})
export type PlatformFinding = Value<typeof PlatformFinding>

/** What an operator looks at first. */
export const Dashboard = shape('Dashboard', {
  startsAtMs: time(),
  endsAtMs: time(),
  granularity: choice(['hour', 'day']),
  totals: DashboardTotals.field,
  points: list(DashboardPoint.field).note('Oldest first.'),
  refusals: list(RefusalsByCode.field).note('The most frequent first.'),
  accounts: list(AccountShare.field).note('Those that paid most, first.'),
  suppliers: list(SupplierHealth.field).note('Shared suppliers, those with problems first.'),
  capacity: Capacity.field,
  alerts: list(OperatorAlert.field).note('Alerts that are not over, newest first.'),
  findings: list(PlatformFinding.field),
})
export type Dashboard = Value<typeof Dashboard>

export const DashboardFilter = {
  range: choice(DASHBOARD_RANGES).note('The last 24 hours, or seven days; `day` by default.').example('day'),
}
