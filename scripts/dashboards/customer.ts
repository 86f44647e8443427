import { type Dashboard, JOB } from './dashboard.ts'
import { increaseBy, rateBy } from './queries.ts'

const ON_ACCOUNT = 'job=~"$job",account="$account"'

export const customer: Dashboard = {
  uid: 'turnpike-customer',
  title: 'Turnpike: one customer',
  about:
    'Requests, errors, tokens and money of one account. Only accounts with metrics of their own (TURNPIKE_METRICS_ACCOUNTS) are here; the console shows all of them.',
  variables: [
    JOB,
    {
      name: 'account',
      label: 'Account',
      values: 'label_values(turnpike_account_spend_usdt_total{job=~"$job"}, account)',
      isSingle: true,
    },
  ],
  rows: [
    {
      title: 'In the range that is shown',
      panels: [
        {
          title: 'Served requests',
          kind: 'stat',
          unit: 'short',
          width: 6,
          queries: [
            {
              expr: `sum(increase(turnpike_account_requests_total{${ON_ACCOUNT}}[$__range]))`,
              legend: 'requests',
            },
          ],
        },
        {
          title: 'Errors',
          kind: 'stat',
          unit: 'short',
          width: 6,
          queries: [
            {
              expr: `sum(increase(turnpike_account_errors_total{${ON_ACCOUNT}}[$__range])) or vector(0)`,
              legend: 'errors',
            },
          ],
        },
        {
          title: 'Paid',
          kind: 'stat',
          unit: 'usdt',
          width: 6,
          queries: [increaseBy('turnpike_account_spend_usdt_total', 'account', ON_ACCOUNT)],
        },
        {
          title: 'Balance',
          kind: 'stat',
          unit: 'usdt',
          width: 6,
          queries: [{ expr: `min(turnpike_account_balance_usdt{${ON_ACCOUNT}})`, legend: 'balance' }],
        },
      ],
    },
    {
      title: 'Over time',
      panels: [
        {
          title: 'Served requests by outcome',
          unit: 'reqps',
          isStacked: true,
          queries: [rateBy('turnpike_account_requests_total', 'outcome', ON_ACCOUNT)],
        },
        {
          title: 'Errors by code',
          about: 'Each code is explained in docs/reference/errors.md.',
          unit: 'reqps',
          isStacked: true,
          queries: [rateBy('turnpike_account_errors_total', 'code', ON_ACCOUNT)],
        },
        {
          title: 'Tokens by kind',
          unit: 'tokens',
          isStacked: true,
          queries: [rateBy('turnpike_account_tokens_total', 'kind', ON_ACCOUNT)],
        },
        {
          title: 'Used limits',
          about: 'Share of the requests and tokens per minute of the account, at the moment of the scrape.',
          unit: 'percentunit',
          queries: [
            {
              expr: `max by (limit) (turnpike_account_limit_used_ratio{${ON_ACCOUNT}})`,
              legend: '{{limit}}',
            },
          ],
        },
        {
          title: 'Balance',
          unit: 'usdt',
          queries: [{ expr: `min(turnpike_account_balance_usdt{${ON_ACCOUNT}})`, legend: 'balance' }],
        },
      ],
    },
  ],
}
