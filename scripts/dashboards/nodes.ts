import { type Dashboard, JOB } from './dashboard.ts'
import { quantile, rateBy, sumBy } from './queries.ts'

const ON_NODE = 'job=~"$job",instance=~"$instance"'
const each = (gauge: string) => sumBy(gauge, 'instance', ON_NODE)

export const nodes: Dashboard = {
  uid: 'turnpike-nodes',
  title: 'Turnpike: nodes',
  about: 'Whether each node has the processor, memory, connections and database it needs.',
  variables: [
    JOB,
    { name: 'instance', label: 'Node', values: 'label_values(turnpike_build_info{job=~"$job"}, instance)' },
  ],
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Reached by Prometheus',
          kind: 'stat',
          unit: 'bool',
          queries: [{ expr: `up{${ON_NODE}}`, legend: '{{instance}}' }],
        },
        {
          title: 'Live nodes',
          kind: 'stat',
          unit: 'short',
          queries: [{ expr: `max(turnpike_nodes{${ON_NODE}})`, legend: 'nodes' }],
        },
        { title: 'Processes', kind: 'stat', unit: 'short', queries: [each('turnpike_processes')] },
        {
          title: 'Running for',
          kind: 'stat',
          unit: 's',
          queries: [{ expr: `time() - process_start_time_seconds{${ON_NODE}}`, legend: '{{instance}}' }],
        },
        {
          title: 'Settlements in the journal',
          kind: 'stat',
          unit: 'short',
          queries: [each('turnpike_journal_waiting')],
        },
        {
          title: 'Version',
          kind: 'table',
          unit: 'short',
          width: 4,
          queries: [{ expr: `turnpike_build_info{${ON_NODE}}`, legend: '{{version}}' }],
        },
      ],
    },
    {
      title: 'Processor and memory',
      panels: [
        {
          title: 'Event-loop lag',
          about: 'How late timers are. Every request waits this long, again and again.',
          unit: 's',
          queries: [
            {
              expr: quantile(0.5, 'turnpike_event_loop_lag_seconds', { on: ON_NODE, by: 'instance' }),
              legend: '{{instance}} median',
            },
            {
              expr: quantile(0.99, 'turnpike_event_loop_lag_seconds', { on: ON_NODE, by: 'instance' }),
              legend: '{{instance}} 99 %',
            },
          ],
        },
        {
          title: 'CPU',
          about: 'Cores in use, by all processes of a node.',
          unit: 'short',
          queries: [rateBy('process_cpu_seconds_total', 'instance', ON_NODE)],
        },
        { title: 'Memory', unit: 'bytes', queries: [each('process_resident_memory_bytes')] },
        {
          title: 'Request bodies in memory',
          unit: 'bytes',
          queries: [
            each('turnpike_body_bytes'),
            { expr: `sum by (instance) (turnpike_body_max_bytes{${ON_NODE}})`, legend: '{{instance}} limit' },
          ],
        },
      ],
    },
    {
      title: 'Connections',
      panels: [
        {
          title: 'Client connections',
          unit: 'short',
          queries: [
            each('turnpike_connections'),
            {
              expr: `sum by (instance) (turnpike_connections_max{${ON_NODE}})`,
              legend: '{{instance}} limit',
            },
          ],
        },
        {
          title: 'Streams, WebSockets and background responses',
          unit: 'short',
          queries: [
            { expr: `sum(turnpike_live_streams{${ON_NODE}})`, legend: 'streams' },
            { expr: `sum(turnpike_websockets{${ON_NODE}})`, legend: 'WebSockets' },
            { expr: `sum(turnpike_background_responses{${ON_NODE}})`, legend: 'background responses' },
          ],
        },
        {
          title: 'Refused connections',
          unit: 'ops',
          queries: [
            rateBy('turnpike_connections_refused_total', 'limit', ON_NODE),
            {
              expr: `sum(rate(turnpike_connections_closed_for_room_total{${ON_NODE}}[$__rate_interval]))`,
              legend: 'idle, closed for room',
            },
            {
              expr: `sum(rate(turnpike_descriptor_shortages_total{${ON_NODE}}[$__rate_interval]))`,
              legend: 'no file descriptor left',
            },
          ],
        },
        {
          title: 'Requests by node',
          unit: 'reqps',
          isStacked: true,
          queries: [rateBy('turnpike_http_requests_total', 'instance', ON_NODE)],
        },
      ],
    },
    {
      title: 'Journal and shared limits',
      panels: [
        {
          title: 'Age of the oldest waiting settlement',
          unit: 's',
          queries: [{ expr: `turnpike_journal_oldest_seconds{${ON_NODE}}`, legend: '{{instance}}' }],
        },
        {
          title: 'Journal',
          unit: 'bytes',
          queries: [
            each('turnpike_journal_bytes'),
            {
              expr: `sum by (instance) (turnpike_journal_max_bytes{${ON_NODE}})`,
              legend: '{{instance}} limit',
            },
          ],
        },
        {
          title: 'How limits are enforced',
          about: 'Only where several nodes or workers share limits. Processes in each state.',
          unit: 'short',
          queries: [sumBy('turnpike_shared_limits_state', 'state', ON_NODE)],
        },
        {
          title: 'Calls to the shared limits, 99th percentile',
          unit: 's',
          queries: [
            {
              expr: quantile(0.99, 'turnpike_shared_limits_call_seconds', { on: ON_NODE, by: 'instance' }),
              legend: '{{instance}}',
            },
          ],
        },
        {
          title: 'Calls to the shared limits by result',
          unit: 'ops',
          isStacked: true,
          queries: [rateBy('turnpike_shared_limits_calls_total', 'result', ON_NODE)],
        },
        {
          title: 'Journal trouble',
          about: 'Nodes that admit no requests, and lines that could not be read.',
          unit: 'short',
          queries: [
            { expr: `sum(turnpike_journal_refusing{${ON_NODE}})`, legend: 'refusing' },
            {
              expr: `sum by (kind) (increase(turnpike_journal_damaged_lines_total{${ON_NODE}}[$__range]))`,
              legend: 'damaged lines, {{kind}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Sinks and refusals',
      panels: [
        {
          title: 'Lines that wait for sinks',
          about: 'In the database, for all nodes.',
          unit: 'short',
          queries: [{ expr: `max by (sink) (turnpike_sink_waiting_lines{${ON_NODE}})`, legend: '{{sink}}' }],
        },
        {
          title: 'Age of the oldest of them',
          unit: 's',
          queries: [{ expr: `max by (sink) (turnpike_sink_oldest_seconds{${ON_NODE}})`, legend: '{{sink}}' }],
        },
        {
          title: 'Lines sent to sinks',
          unit: 'ops',
          queries: [rateBy('turnpike_sink_sent_lines_total', 'sink', ON_NODE)],
        },
        {
          title: 'Failed, lost and dropped',
          about:
            'Batches that a sink did not take, lines that were given up, and refusals that were not kept.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (sink) (increase(turnpike_sink_failed_attempts_total{${ON_NODE}}[$__range]))`,
              legend: '{{sink}}, failed batches',
            },
            {
              expr: `sum by (sink) (increase(turnpike_sink_lost_lines_total{${ON_NODE}}[$__range]))`,
              legend: '{{sink}}, lost lines',
            },
            {
              expr: `sum(increase(turnpike_refusals_dropped_total{${ON_NODE}}[$__range]))`,
              legend: 'dropped refusals',
            },
          ],
        },
      ],
    },
  ],
}
