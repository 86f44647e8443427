import { type Dashboard, JOB } from './dashboard.ts'
import { ON_JOB, quantile, rateBy } from './queries.ts'

const ON_SUPPLIER = 'job=~"$job",supplier=~"$supplier"'
const BY_SUPPLIER = { on: ON_SUPPLIER, by: 'supplier' }

export const suppliers: Dashboard = {
  uid: 'turnpike-suppliers',
  title: 'Turnpike: suppliers',
  about: 'How each supplier answers, and which of its routes and credentials can be used.',
  variables: [
    JOB,
    {
      name: 'supplier',
      label: 'Supplier',
      values: 'label_values(turnpike_credentials{job=~"$job"}, supplier)',
    },
  ],
  rows: [
    {
      title: 'Calls',
      panels: [
        {
          title: 'Calls by supplier',
          unit: 'reqps',
          isStacked: true,
          queries: [rateBy('turnpike_attempts_total', 'supplier', ON_SUPPLIER)],
        },
        {
          title: 'Calls by result',
          unit: 'reqps',
          isStacked: true,
          queries: [rateBy('turnpike_attempts_total', 'result', ON_SUPPLIER)],
        },
        {
          title: 'Failed calls',
          unit: 'percentunit',
          queries: [
            {
              expr: `supplier:turnpike_attempt_failures:ratio_rate5m{${ON_SUPPLIER}}`,
              legend: '{{supplier}}',
            },
          ],
        },
        {
          title: 'Tokens by supplier',
          unit: 'tokens',
          isStacked: true,
          queries: [rateBy('turnpike_tokens_total', 'supplier', ON_SUPPLIER)],
        },
      ],
    },
    {
      title: 'Speed',
      panels: [
        {
          title: 'First byte, 95th percentile',
          unit: 's',
          queries: [
            { expr: quantile(0.95, 'turnpike_first_byte_seconds', BY_SUPPLIER), legend: '{{supplier}}' },
          ],
        },
        {
          title: 'Duration, 95th percentile',
          unit: 's',
          queries: [
            { expr: quantile(0.95, 'turnpike_duration_seconds', BY_SUPPLIER), legend: '{{supplier}}' },
          ],
        },
        {
          title: 'Output tokens per second of a stream, median',
          unit: 'tokens',
          queries: [
            { expr: quantile(0.5, 'turnpike_output_tokens_per_second', BY_SUPPLIER), legend: '{{supplier}}' },
          ],
        },
        {
          title: 'Gap between pieces of a stream, 99th percentile',
          unit: 's',
          queries: [
            { expr: quantile(0.99, 'turnpike_chunk_gap_seconds', BY_SUPPLIER), legend: '{{supplier}}' },
          ],
        },
      ],
    },
    {
      title: 'State',
      panels: [
        {
          title: 'Open circuits',
          about: 'Routes with a credential that failed repeatedly and are avoided.',
          unit: 'short',
          queries: [
            {
              expr: `max by (supplier) (turnpike_circuits{${ON_SUPPLIER},state="open"})`,
              legend: '{{supplier}}',
            },
          ],
        },
        {
          title: 'Credentials that cannot be used',
          unit: 'short',
          queries: [
            {
              expr: `max by (supplier, state) (turnpike_credentials{${ON_SUPPLIER},state!="ready"})`,
              legend: '{{supplier}} {{state}}',
            },
          ],
        },
        {
          title: 'Credentials by state',
          kind: 'table',
          unit: 'short',
          queries: [
            {
              expr: `max by (supplier, state) (turnpike_credentials{${ON_SUPPLIER}})`,
              legend: '{{supplier}}',
            },
          ],
        },
        {
          title: 'Candidates of each model',
          about: 'Routes with a credential that can be used now. At 0, every request for the model fails.',
          kind: 'bargauge',
          unit: 'short',
          queries: [
            { expr: `sort(min by (model) (turnpike_model_candidates{${ON_JOB}}))`, legend: '{{model}}' },
          ],
        },
        {
          title: 'Used capacity of credentials',
          about: 'Share of their requests and tokens per minute, of the credential that is used most.',
          unit: 'percentunit',
          width: 24,
          queries: [
            {
              expr: `max by (supplier, limit) (turnpike_supplier_capacity_used_ratio{${ON_SUPPLIER}})`,
              legend: '{{supplier}} {{limit}}',
            },
          ],
        },
      ],
    },
  ],
}
