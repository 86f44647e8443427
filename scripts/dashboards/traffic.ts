import { type Dashboard, JOB } from './dashboard.ts'
import { ON_JOB, ON_MODEL, quantile, rateBy, sumBy } from './queries.ts'

const BY_MODEL = { on: ON_MODEL, by: 'model' }
const ALL_MODELS = { on: ON_MODEL, by: '' }

export const traffic: Dashboard = {
  uid: 'turnpike-traffic',
  title: 'Turnpike: traffic and errors',
  about: 'What clients ask for, what they get, and how long it takes.',
  variables: [
    JOB,
    { name: 'model', label: 'Model', values: 'label_values(turnpike_settlements_total{job=~"$job"}, model)' },
  ],
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Requests',
          kind: 'stat',
          unit: 'reqps',
          queries: [
            {
              expr: `sum(rate(turnpike_http_requests_total{${ON_JOB}}[$__rate_interval]))`,
              legend: 'requests',
            },
          ],
        },
        {
          title: 'Failing',
          about: 'Answers with a 5xx status.',
          kind: 'stat',
          unit: 'percentunit',
          queries: [
            { expr: `max(job:turnpike_request_failures:ratio_rate5m{${ON_JOB}})`, legend: 'failing' },
          ],
        },
        {
          title: 'First byte, 95th percentile',
          kind: 'stat',
          unit: 's',
          queries: [
            { expr: quantile(0.95, 'turnpike_first_byte_seconds', ALL_MODELS), legend: 'first byte' },
          ],
        },
        {
          title: 'Live streams',
          kind: 'stat',
          unit: 'short',
          queries: [sumBy('turnpike_live_streams', 'job')],
        },
        {
          title: 'Requests under way',
          kind: 'stat',
          unit: 'short',
          queries: [sumBy('turnpike_holds', 'job')],
        },
        {
          title: 'Models without a supplier',
          kind: 'stat',
          unit: 'short',
          queries: [
            {
              expr: `count(min by (model) (turnpike_model_candidates{${ON_JOB}}) == 0) or vector(0)`,
              legend: 'models',
            },
          ],
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          title: 'Answers by status',
          unit: 'reqps',
          isStacked: true,
          queries: [rateBy('turnpike_http_requests_total', 'status')],
        },
        {
          title: 'Errors by code',
          about: 'Each code is explained in docs/reference/errors.md.',
          unit: 'reqps',
          isStacked: true,
          queries: [rateBy('turnpike_errors_total', 'code')],
        },
        {
          title: 'Served requests by model',
          unit: 'reqps',
          isStacked: true,
          queries: [rateBy('turnpike_settlements_total', 'model', ON_MODEL)],
        },
        {
          title: 'Served requests by outcome',
          unit: 'reqps',
          isStacked: true,
          queries: [rateBy('turnpike_settlements_total', 'outcome', ON_MODEL)],
        },
        {
          title: 'Failed at suppliers, by model',
          about: 'All candidates were tried.',
          unit: 'percentunit',
          queries: [
            { expr: `model:turnpike_supplier_failures:ratio_rate5m{${ON_MODEL}}`, legend: '{{model}}' },
          ],
        },
        {
          title: 'Refused because of a limit',
          unit: 'reqps',
          isStacked: true,
          queries: [rateBy('turnpike_limit_refusals_total', 'limit')],
        },
      ],
    },
    {
      title: 'Limits',
      panels: [
        {
          title: 'Accounts closest to a limit',
          about: 'Share of their requests or tokens per minute, of accounts with metrics of their own.',
          kind: 'bargauge',
          unit: 'percentunit',
          width: 24,
          queries: [
            {
              expr: `topk(10, max by (account, limit) (turnpike_account_limit_used_ratio{${ON_JOB}}))`,
              legend: '{{account}} {{limit}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Time',
      panels: [
        {
          title: 'First byte',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'turnpike_first_byte_seconds', BY_MODEL), legend: '{{model}} median' },
            { expr: quantile(0.95, 'turnpike_first_byte_seconds', BY_MODEL), legend: '{{model}} 95 %' },
          ],
        },
        {
          title: 'Duration',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'turnpike_duration_seconds', BY_MODEL), legend: '{{model}} median' },
            { expr: quantile(0.99, 'turnpike_duration_seconds', BY_MODEL), legend: '{{model}} 99 %' },
          ],
        },
        {
          title: 'Output tokens per second of a stream, median',
          unit: 'tokens',
          queries: [
            { expr: quantile(0.5, 'turnpike_output_tokens_per_second', BY_MODEL), legend: '{{model}}' },
          ],
        },
        {
          title: 'Gap between pieces of a stream, 99th percentile',
          unit: 's',
          queries: [{ expr: quantile(0.99, 'turnpike_chunk_gap_seconds', BY_MODEL), legend: '{{model}}' }],
        },
        {
          title: 'Tokens by kind',
          unit: 'tokens',
          isStacked: true,
          queries: [rateBy('turnpike_tokens_total', 'kind', ON_MODEL)],
        },
        { title: 'Live streams', unit: 'short', queries: [sumBy('turnpike_live_streams', 'instance')] },
      ],
    },
  ],
}
