import type { ConnectionGauges } from '../../serve/ports/connection-gauges.ts'
import type { Log } from '../../serve/ports/log.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { SHARED_LIMITS_STATES, type SharedLimitsState } from '../../vocabulary/system.ts'
import { counters, escapeLabel, type Family, gauge, renderFamily } from './families.ts'
import { SettledWork } from './settled-work.ts'

/** Values that are read when `/metrics` is requested. */
export interface Gauges {
  readonly liveStreams: number
  readonly journalWaiting: number
  /** Absent when this process has no journal. */
  readonly journal?: JournalGauges
  /** Nodes that are alive, as far as this one knows. */
  readonly nodesLiving?: number
  /** Absent when nodes share only the database. */
  readonly sharedLimitsState?: SharedLimitsState
  readonly connections?: ConnectionGauges
  readonly residentBytes: number
  readonly cpuSeconds: number
}

export interface JournalGauges {
  readonly bytes: number
  readonly maxBytes: number
  /** Age of the settlement that has waited longest; 0 when none waits. */
  readonly oldestSeconds: number
  readonly isRefusing: boolean
}

/** One call to the shared limits. */
export interface LimitsCall {
  /** `late`: no answer in time. `skipped`: not called, because recent calls failed. */
  readonly result: 'answered' | 'late' | 'failed' | 'skipped'
  /** null when it was skipped. */
  readonly durationMs: number | null
}

// Upper bounds in seconds; the default deadline is 50 ms.
const SHARED_LIMITS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 1] as const

// Upper bounds in seconds; a reasoning model can take minutes until its first byte.
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const

interface Histogram {
  readonly counts: number[]
  sumSeconds: number
  count: number
}

/**
 * Counters for Prometheus. Requests are counted when they are logged and everything else when settlements are stored, so
 * the request path does no work for metrics. Labels are names from the configuration, never text from clients.
 */
export class Metrics {
  readonly #requests = new Map<number, number>()
  readonly #settled = new SettledWork()
  readonly #firstByte = new Map<string, Histogram>()
  readonly #damagedLines = new Map<'cut_off' | 'altered', number>([
    ['cut_off', 0],
    ['altered', 0],
  ])
  readonly #sharedLimitsCalls = new Map<LimitsCall['result'], number>()
  readonly #sharedLimitsTimes = emptyHistogram(SHARED_LIMITS_BUCKETS)

  noteSharedLimitsCall({ result, durationMs }: LimitsCall): void {
    this.#sharedLimitsCalls.set(result, (this.#sharedLimitsCalls.get(result) ?? 0) + 1)
    if (durationMs !== null) observe(this.#sharedLimitsTimes, SHARED_LIMITS_BUCKETS, durationMs / 1_000)
  }

  /** A journal line that cannot be read: cut off by a crash, or altered on disk. */
  noteDamagedLine(kind: 'cut_off' | 'altered'): void {
    this.#damagedLines.set(kind, (this.#damagedLines.get(kind) ?? 0) + 1)
  }

  /** The same log, which also counts its request lines. */
  countRequests(log: Log): Log {
    return {
      request: (line) => {
        this.#requests.set(line.status, (this.#requests.get(line.status) ?? 0) + 1)
        log.request(line)
      },
      attemptFailed: (line) => log.attemptFailed(line),
      notice: (what, facts) => log.notice(what, facts),
      trouble: (what, error, requestId) => log.trouble(what, error, requestId),
    }
  }

  noteSettlements(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) this.#note(settlement)
  }

  render(gauges: Gauges): string {
    const families: Family[] = [
      counters('turnpike_http_requests_total', 'Requests answered, by status.', this.#requestLines()),
      ...this.#settled.families(),
      {
        name: 'turnpike_first_byte_seconds',
        help: 'Time from admission to the first byte, by supplier.',
        type: 'histogram',
        lines: [...this.#firstByte].flatMap(([supplier, each]) =>
          histogramLines(
            { name: 'turnpike_first_byte_seconds', label: `supplier="${escapeLabel(supplier)}"` },
            BUCKETS,
            each,
          ),
        ),
      },
      counters(
        'turnpike_shared_limits_calls_total',
        'Calls to the shared limits, by result.',
        this.#sharedLimitsCallLines(),
      ),
      {
        name: 'turnpike_shared_limits_call_seconds',
        help: 'Duration of calls to the shared limits.',
        type: 'histogram',
        lines: this.#sharedLimitsTimeLines(),
      },
      counters(
        'turnpike_journal_damaged_lines_total',
        'Unreadable journal lines that were kept aside.',
        this.#damagedLineLines(),
      ),
      ...gaugeFamilies(gauges),
    ]
    return families.map(renderFamily).join('')
  }

  #note(settlement: Settlement): void {
    const { supplier, firstByteMs } = settlement
    this.#settled.note(settlement)
    if (supplier !== null && firstByteMs !== null) this.#observe(supplier, firstByteMs / 1_000)
  }

  #observe(supplier: string, seconds: number): void {
    const known = this.#firstByte.get(supplier)
    const histogram = known ?? emptyHistogram(BUCKETS)
    if (known === undefined) this.#firstByte.set(supplier, histogram)
    observe(histogram, BUCKETS, seconds)
  }

  #sharedLimitsCallLines(): string[] {
    return [...this.#sharedLimitsCalls].map(
      ([result, count]) => `turnpike_shared_limits_calls_total{result="${result}"} ${count}`,
    )
  }

  #sharedLimitsTimeLines(): string[] {
    if (this.#sharedLimitsTimes.count === 0) return []
    return histogramLines(
      { name: 'turnpike_shared_limits_call_seconds', label: '' },
      SHARED_LIMITS_BUCKETS,
      this.#sharedLimitsTimes,
    )
  }

  #damagedLineLines(): string[] {
    return [...this.#damagedLines].map(
      ([kind, count]) => `turnpike_journal_damaged_lines_total{kind="${kind}"} ${count}`,
    )
  }

  #requestLines(): string[] {
    return [...this.#requests].map(
      ([status, count]) => `turnpike_http_requests_total{status="${status}"} ${count}`,
    )
  }
}

function gaugeFamilies({
  liveStreams,
  journalWaiting,
  residentBytes,
  cpuSeconds,
  ...more
}: Gauges): Family[] {
  return [
    gauge('turnpike_live_streams', 'Open streams.', liveStreams),
    gauge('turnpike_journal_waiting', 'Settlements not yet in the database.', journalWaiting),
    ...journalFamilies(more.journal),
    ...connectionFamilies(more.connections),
    ...sharedFamilies(more),
    gauge('process_resident_memory_bytes', 'Resident memory.', residentBytes),
    counters('process_cpu_seconds_total', 'CPU time used.', [`process_cpu_seconds_total ${cpuSeconds}`]),
  ]
}

function journalFamilies(journal: JournalGauges | undefined): Family[] {
  if (journal === undefined) return []
  const { bytes, maxBytes, oldestSeconds, isRefusing } = journal
  return [
    gauge(
      'turnpike_journal_bytes',
      'Bytes written to the journal since the oldest waiting settlement.',
      bytes,
    ),
    gauge('turnpike_journal_max_bytes', 'How many bytes may wait before requests are refused.', maxBytes),
    gauge('turnpike_journal_oldest_seconds', 'Age of the oldest waiting settlement.', oldestSeconds),
    gauge(
      'turnpike_journal_refusing',
      '1 while requests are refused because of the journal.',
      isRefusing ? 1 : 0,
    ),
  ]
}

function connectionFamilies(connections: ConnectionGauges | undefined): Family[] {
  if (connections === undefined) return []
  const { open, max, webSockets, dismissed, refusedByTotal, refusedByAddress, descriptorShortages } =
    connections
  const refused = 'turnpike_connections_refused_total'
  const shortages = 'turnpike_descriptor_shortages_total'
  const closed = 'turnpike_connections_closed_for_room_total'
  return [
    gauge('turnpike_connections', 'Open client connections.', open),
    gauge('turnpike_connections_max', 'Current limit of client connections.', max),
    gauge('turnpike_websockets', 'Open WebSockets.', webSockets),
    counters(refused, 'Refused connections, by the limit that was reached.', [
      `${refused}{limit="total"} ${refusedByTotal}`,
      `${refused}{limit="address"} ${refusedByAddress}`,
    ]),
    counters(closed, 'Idle connections closed to make room for new ones.', [`${closed} ${dismissed}`]),
    counters(shortages, 'How often the process ran out of file descriptors.', [
      `${shortages} ${descriptorShortages}`,
    ]),
  ]
}

function sharedFamilies({
  nodesLiving,
  sharedLimitsState,
}: Pick<Gauges, 'nodesLiving' | 'sharedLimitsState'>): Family[] {
  const name = 'turnpike_shared_limits_state'
  const families: Family[] = []
  if (nodesLiving !== undefined) families.push(gauge('turnpike_nodes', 'Nodes that are alive.', nodesLiving))
  if (sharedLimitsState !== undefined) {
    const lines = SHARED_LIMITS_STATES.map(
      (state) => `${name}{state="${state}"} ${state === sharedLimitsState ? 1 : 0}`,
    )
    families.push({
      name,
      help: 'How this node enforces limits: 1 for the current state.',
      type: 'gauge',
      lines,
    })
  }
  return families
}

function emptyHistogram(buckets: readonly number[]): Histogram {
  return { counts: buckets.map(() => 0), sumSeconds: 0, count: 0 }
}

function observe(histogram: Histogram, buckets: readonly number[], seconds: number): void {
  for (let index = buckets.length - 1; index >= 0 && seconds <= (buckets[index] ?? 0); index--) {
    histogram.counts[index] = (histogram.counts[index] ?? 0) + 1
  }
  histogram.sumSeconds += seconds
  histogram.count += 1
}

function histogramLines(
  { name, label }: { readonly name: string; readonly label: string },
  buckets: readonly number[],
  { counts, sumSeconds, count }: Histogram,
): string[] {
  const first = label === '' ? '' : `${label},`
  const only = label === '' ? '' : `{${label}}`
  return [
    ...buckets.map((end, index) => `${name}_bucket{${first}le="${end}"} ${counts[index]}`),
    `${name}_bucket{${first}le="+Inf"} ${count}`,
    `${name}_sum${only} ${sumSeconds}`,
    `${name}_count${only} ${count}`,
  ]
}
