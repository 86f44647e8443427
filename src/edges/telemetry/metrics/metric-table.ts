/** One metric: what `/metrics`, docs/monitoring/metrics.md, the rules and the dashboards know of it. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  /** A phrase for the table in docs/monitoring/metrics.md and for `# HELP`. */
  readonly meaning: string
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[]
  /** How the gauges of several workers become one; their sum when absent. */
  readonly across?: 'most' | 'least'
}

// A reasoning model can take minutes until its first byte.
const FIRST_BYTE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const DURATION_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const TOKENS_PER_SECOND = [5, 10, 20, 40, 60, 80, 100, 150, 200, 400, 800, 1_600]
const GAP_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60]
// The default deadline is 50 ms.
const SHARED_LIMITS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 1]
const LAG_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

const MODEL_AND_SUPPLIER = ['model', 'supplier'] as const

/** Every metric, in the order in which `/metrics` shows them. */
export const METRICS = {
  turnpike_http_requests_total: {
    type: 'counter',
    labels: ['status'],
    meaning:
      'requests answered on any path; a WebSocket counts as 101, and each of its messages as a request',
  },
  turnpike_errors_total: {
    type: 'counter',
    labels: ['code'],
    meaning: 'requests answered with an error, by its [code](../reference/errors.md)',
  },
  turnpike_limit_refusals_total: {
    type: 'counter',
    labels: ['limit'],
    meaning:
      'requests refused because of a limit: `account_requests`, `account_tokens`, `key_requests`, `key_tokens` per minute, `key_spending`, `balance`, `look_ups`, or `refused_requests` for callers who go on after many refusals',
  },
  turnpike_settlements_total: {
    type: 'counter',
    labels: ['model', 'supplier', 'outcome'],
    meaning: 'admitted requests, each counted once when it is stored',
  },
  turnpike_attempts_total: {
    type: 'counter',
    labels: ['supplier', 'result'],
    meaning: 'calls to suppliers: `answered`, `failed`, `refused`, `client_left`, `overtaken`',
  },
  turnpike_tokens_total: {
    type: 'counter',
    labels: ['model', 'supplier', 'kind'],
    meaning: 'tokens in disjoint kinds: `input`, `cacheRead`, `cacheWrite`, `output`',
  },
  turnpike_images_total: { type: 'counter', labels: MODEL_AND_SUPPLIER, meaning: 'images delivered' },
  turnpike_spend_usdt_total: {
    type: 'counter',
    labels: MODEL_AND_SUPPLIER,
    meaning: 'amount charged to accounts, in USDT',
  },
  turnpike_cost_usdt_total: {
    type: 'counter',
    labels: MODEL_AND_SUPPLIER,
    meaning: 'amount that suppliers charge, in USDT',
  },
  turnpike_first_byte_seconds: {
    type: 'histogram',
    labels: MODEL_AND_SUPPLIER,
    meaning: 'time from admission to the first byte',
    buckets: FIRST_BYTE_SECONDS,
  },
  turnpike_duration_seconds: {
    type: 'histogram',
    labels: MODEL_AND_SUPPLIER,
    meaning: 'time from admission to the end of the answer, of answers that a supplier gave',
    buckets: DURATION_SECONDS,
  },
  turnpike_output_tokens_per_second: {
    type: 'histogram',
    labels: MODEL_AND_SUPPLIER,
    meaning: 'output tokens of completed streams per second after the first byte',
    buckets: TOKENS_PER_SECOND,
  },
  turnpike_chunk_gap_seconds: {
    type: 'histogram',
    labels: MODEL_AND_SUPPLIER,
    meaning: 'time that a stream waited for each next piece from the supplier, in whole milliseconds',
    buckets: GAP_SECONDS,
  },
  turnpike_account_requests_total: {
    type: 'counter',
    labels: ['account', 'outcome'],
    meaning: 'admitted requests of an account; see [accounts](#accounts)',
  },
  turnpike_account_errors_total: {
    type: 'counter',
    labels: ['account', 'code'],
    meaning: 'requests of an account that were answered with an error',
  },
  turnpike_account_tokens_total: {
    type: 'counter',
    labels: ['account', 'kind'],
    meaning: 'tokens of an account, in the same kinds',
  },
  turnpike_account_spend_usdt_total: {
    type: 'counter',
    labels: ['account'],
    meaning: 'amount charged to an account, in USDT',
  },
  turnpike_account_balance_usdt: {
    type: 'gauge',
    labels: ['account'],
    meaning: 'balance of an account, as far as this node knows',
    across: 'least',
  },
  turnpike_account_limit_used_ratio: {
    type: 'gauge',
    labels: ['account', 'limit'],
    meaning:
      'used share of the `requests` or `tokens` per minute of an account; only for accounts with such a limit',
    across: 'most',
  },
  turnpike_holds: {
    type: 'gauge',
    labels: [],
    meaning: 'admitted requests under way, each with a hold on the money of its account',
  },
  turnpike_held_usdt: { type: 'gauge', labels: [], meaning: 'sum of these holds, in USDT' },
  turnpike_circuits: {
    type: 'gauge',
    labels: ['supplier', 'state'],
    meaning:
      'routes with a credential, by the state of their [circuit](../suppliers/routing.md): `closed`, `half-open`, `open`',
    across: 'most',
  },
  turnpike_credentials: {
    type: 'gauge',
    labels: ['supplier', 'state'],
    meaning: 'credentials: `ready`, `cooling` as the supplier asked, or `disabled`',
    across: 'most',
  },
  turnpike_model_candidates: {
    type: 'gauge',
    labels: ['model'],
    meaning: 'routes with a credential that can serve the model now; 0: every request for it fails',
    across: 'least',
  },
  turnpike_supplier_capacity_used_ratio: {
    type: 'gauge',
    labels: ['supplier', 'limit'],
    meaning:
      'used share of the `requests` or `tokens` per minute of a credential, of the credential that is used most; only for credentials with such a limit',
    across: 'most',
  },
  turnpike_live_streams: { type: 'gauge', labels: [], meaning: 'running streams' },
  turnpike_background_responses: {
    type: 'gauge',
    labels: [],
    meaning: 'responses that are being made in the background',
  },
  turnpike_body_bytes: { type: 'gauge', labels: [], meaning: 'bytes of request bodies in memory' },
  turnpike_body_max_bytes: {
    type: 'gauge',
    labels: [],
    meaning: 'how many there may be before requests are refused',
  },
  turnpike_connections: { type: 'gauge', labels: [], meaning: 'open client connections' },
  turnpike_connections_max: { type: 'gauge', labels: [], meaning: 'the current maximum of connections' },
  turnpike_websockets: { type: 'gauge', labels: [], meaning: 'how many connections are WebSockets' },
  turnpike_connections_closed_for_room_total: {
    type: 'counter',
    labels: [],
    meaning: 'idle connections closed to make room for new ones',
  },
  turnpike_connections_refused_total: {
    type: 'counter',
    labels: ['limit'],
    meaning: 'connections refused because all were busy: `total`, or `address` for those of one address',
  },
  turnpike_descriptor_shortages_total: {
    type: 'counter',
    labels: [],
    meaning:
      'how often, checked every 100 ms while clients are connected, the process could open no more files',
  },
  turnpike_journal_waiting: {
    type: 'gauge',
    labels: [],
    meaning: 'settlements in the journal that are not yet in the database',
  },
  turnpike_journal_bytes: {
    type: 'gauge',
    labels: [],
    meaning: 'bytes written to the journal since the oldest waiting settlement',
  },
  turnpike_journal_max_bytes: {
    type: 'gauge',
    labels: [],
    meaning: 'how many there may be before the gateway admits no more requests',
  },
  turnpike_journal_oldest_seconds: {
    type: 'gauge',
    labels: [],
    meaning: 'age of the oldest waiting settlement; 0 if none waits',
    across: 'most',
  },
  turnpike_journal_refusing: {
    type: 'gauge',
    labels: [],
    meaning: '1 while no requests are admitted because of the journal or its disk',
    across: 'most',
  },
  turnpike_journal_damaged_lines_total: {
    type: 'counter',
    labels: ['kind'],
    meaning:
      'unreadable journal lines that were [kept aside](../operations/nodes.md#the-journal): `altered`, or `cut_off` by a crash',
  },
  turnpike_sink_waiting_lines: {
    type: 'gauge',
    labels: ['sink'],
    meaning: 'lines in the database that wait for a [sink](sinks.md), of all nodes, counted every 15 seconds',
    across: 'most',
  },
  turnpike_sink_oldest_seconds: {
    type: 'gauge',
    labels: ['sink'],
    meaning: 'age of the oldest of these lines; 0 if none waits',
    across: 'most',
  },
  turnpike_sink_sent_lines_total: {
    type: 'counter',
    labels: ['sink'],
    meaning: 'lines that this node sent to a sink',
  },
  turnpike_sink_lost_lines_total: {
    type: 'counter',
    labels: ['sink'],
    meaning: 'lines that this node gave up, because they had waited 14 days or what they tell of was deleted',
  },
  turnpike_sink_failed_attempts_total: {
    type: 'counter',
    labels: ['sink'],
    meaning: 'batches that a sink did not take from this node',
  },
  turnpike_refusals_dropped_total: {
    type: 'counter',
    labels: [],
    meaning:
      'refused requests that are missing in the [refusals](refusals.md), because too many waited for the database',
  },
  turnpike_nodes: {
    type: 'gauge',
    labels: [],
    meaning: 'live nodes, as far as this one knows',
    across: 'most',
  },
  turnpike_shared_limits_state: {
    type: 'gauge',
    labels: ['state'],
    meaning:
      '1 for the way this node enforces limits: `shared`, `local`, `refusing`; only if nodes share limits. With workers, how many of them do',
  },
  turnpike_shared_limits_calls_total: {
    type: 'counter',
    labels: ['result'],
    meaning: 'calls to the shared limits: `answered`, `late`, `failed`, `skipped`',
  },
  turnpike_shared_limits_call_seconds: {
    type: 'histogram',
    labels: [],
    meaning: 'duration of calls to the shared limits',
    buckets: SHARED_LIMITS_SECONDS,
  },
  turnpike_event_loop_lag_seconds: {
    type: 'histogram',
    labels: [],
    meaning: 'how late a timer of the process was, measured twice a second',
    buckets: LAG_SECONDS,
  },
  turnpike_processes: {
    type: 'gauge',
    labels: [],
    meaning: 'processes whose figures these are: 1, or the number of [workers](../operations/workers.md)',
  },
  turnpike_build_info: {
    type: 'gauge',
    labels: ['version'],
    meaning: 'always 1',
    across: 'most',
  },
  process_resident_memory_bytes: { type: 'gauge', labels: [], meaning: 'memory of the process' },
  process_cpu_seconds_total: { type: 'counter', labels: [], meaning: 'CPU time of the process' },
  process_start_time_seconds: {
    type: 'gauge',
    labels: [],
    meaning: 'when the process started, in seconds since 1970',
    across: 'least',
  },
} as const satisfies Record<string, MetricDefinition>

export type MetricName = keyof typeof METRICS

type NamesOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never
}[MetricName]

export type HistogramName = NamesOf<'histogram'>

/** The labels of a metric with their values. */
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof METRICS)[Name]['labels'][number], string>
>

export const METRIC_NAMES = Object.keys(METRICS) as MetricName[]

export function definitionOf(name: MetricName): MetricDefinition {
  return METRICS[name]
}

/** The table of docs/monitoring/metrics.md. */
export function layOutMetrics(): string {
  const rows = METRIC_NAMES.map((name) => {
    const { type, labels, meaning } = definitionOf(name)
    return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${meaning} |\n`
  })
  return `| Name | Type | Labels | Meaning |\n|---|---|---|---|\n${rows.join('')}`
}
