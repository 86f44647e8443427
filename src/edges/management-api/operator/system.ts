import type { DescribeSystem, ShowDashboard } from '../../../manage/ports/console.ts'
import { Dashboard, DashboardFilter } from '../../../vocabulary/observability/dashboard.ts'
import { SystemStatus } from '../../../vocabulary/system.ts'
import { definer, one } from '../endpoint.ts'

export const systemEndpoint = definer<DescribeSystem>()({
  tag: 'History',
  access: 'operator',
  method: 'GET',
  path: '/system',
  id: 'showSystem',
  summary: 'Show the status of the gateway',
  description:
    'This node, all known nodes, database, Redis and journal, and all settings that are not secret.',
  query: {},
  answer: one(SystemStatus, 'The current status.'),
  handle: (describeSystem) => describeSystem(),
})

export const dashboardEndpoint = definer<ShowDashboard>()({
  tag: 'History',
  access: 'operator',
  method: 'GET',
  path: '/dashboard',
  id: 'showDashboard',
  summary: 'Show what needs attention',
  description:
    'Spending, cost, margin, requests and errors of all accounts, the health of suppliers, capacity, open alerts and the problems that the doctor finds without calling anyone. Hours and days that are over may be up to five minutes old.',
  query: DashboardFilter,
  answer: one(Dashboard, 'The present state.'),
  handle: (showDashboard, { query }) => showDashboard(query.range ?? 'day'),
})
