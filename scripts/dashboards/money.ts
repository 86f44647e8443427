import { type Dashboard, JOB } from './dashboard.ts'
import { increaseBy, ON_JOB, ON_MODEL, rateBy, sumBy } from './queries.ts'

const SPENT = 'turnpike_spend_usdt_total'
const COST = 'turnpike_cost_usdt_total'

export const money: Dashboard = {
  uid: 'turnpike-money',
  title: 'Turnpike: money',
  about:
    'What accounts pay, what suppliers charge, and what is left. For invoices, use the exports: Prometheus rounds.',
  variables: [
    JOB,
    { name: 'model', label: 'Model', values: 'label_values(turnpike_settlements_total{job=~"$job"}, model)' },
  ],
  rows: [
    {
      title: 'In the range that is shown',
      panels: [
        {
          title: 'Paid by accounts',
          kind: 'stat',
          unit: 'usdt',
          width: 6,
          queries: [{ expr: `sum(increase(${SPENT}{${ON_MODEL}}[$__range]))`, legend: 'paid' }],
        },
        {
          title: 'Charged by suppliers',
          kind: 'stat',
          unit: 'usdt',
          width: 6,
          queries: [{ expr: `sum(increase(${COST}{${ON_MODEL}}[$__range]))`, legend: 'charged' }],
        },
        {
          title: 'Margin',
          kind: 'stat',
          unit: 'usdt',
          width: 6,
          queries: [
            {
              expr: `sum(increase(${SPENT}{${ON_MODEL}}[$__range])) - sum(increase(${COST}{${ON_MODEL}}[$__range]))`,
              legend: 'margin',
            },
          ],
        },
        {
          title: 'Held for requests under way',
          kind: 'stat',
          unit: 'usdt',
          width: 6,
          queries: [sumBy('turnpike_held_usdt', 'job')],
        },
        {
          title: 'Paid, by model',
          kind: 'bargauge',
          unit: 'usdt',
          queries: [increaseBy(SPENT, 'model', ON_MODEL)],
        },
        {
          title: 'Margin, by model',
          kind: 'bargauge',
          unit: 'usdt',
          queries: [
            {
              expr: `sum by (model) (increase(${SPENT}{${ON_MODEL}}[$__range])) - sum by (model) (increase(${COST}{${ON_MODEL}}[$__range]))`,
              legend: '{{model}}',
            },
          ],
        },
        {
          title: 'Charged, by supplier',
          kind: 'bargauge',
          unit: 'usdt',
          queries: [increaseBy(COST, 'supplier', ON_MODEL)],
        },
        {
          title: 'Accounts that paid most',
          kind: 'bargauge',
          unit: 'usdt',
          queries: [
            {
              expr: `topk(10, sum by (account) (increase(turnpike_account_spend_usdt_total{${ON_JOB}}[$__range])))`,
              legend: '{{account}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Over time, per hour',
      panels: [
        {
          title: 'Paid and charged',
          unit: 'usdt',
          queries: [
            { expr: `sum(rate(${SPENT}{${ON_MODEL}}[$__rate_interval])) * 3600`, legend: 'paid by accounts' },
            {
              expr: `sum(rate(${COST}{${ON_MODEL}}[$__rate_interval])) * 3600`,
              legend: 'charged by suppliers',
            },
          ],
        },
        {
          title: 'Margin of the last hour',
          unit: 'usdt',
          queries: [{ expr: `sum(job:turnpike_margin_usdt:increase1h{${ON_JOB}})`, legend: 'margin' }],
        },
        {
          title: 'Tokens by model',
          unit: 'tokens',
          isStacked: true,
          queries: [rateBy('turnpike_tokens_total', 'model', ON_MODEL)],
        },
        {
          title: 'Images by model',
          unit: 'ops',
          isStacked: true,
          queries: [rateBy('turnpike_images_total', 'model', ON_MODEL)],
        },
        {
          title: 'Refused for lack of money',
          unit: 'reqps',
          queries: [
            rateBy('turnpike_limit_refusals_total', 'limit', `${ON_JOB},limit=~"balance|key_spending"`),
          ],
        },
        {
          title: 'Held for requests under way',
          unit: 'usdt',
          queries: [sumBy('turnpike_held_usdt', 'instance')],
        },
      ],
    },
  ],
}
