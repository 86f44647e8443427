import type { SinkFigures } from '../../../manage/ports/sinks.ts'
import type { ConnectionGauges } from '../../../serve/ports/connection-gauges.ts'
import type { Log, LoggedError } from '../../../serve/ports/log.ts'
import type { ChunkGaps } from '../../../serve/ports/request-observer.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import { SHARED_LIMITS_STATES, type SharedLimitsState } from '../../../vocabulary/system.ts'
import { Histogram } from './histogram.ts'
import { type Readings, ReadingsBuilder } from './readings.ts'
import { countOne, SettledWork, usdt } from './settled-work.ts'

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
  readonly backgroundResponses?: number
  readonly bodies?: { readonly bytes: number; readonly maxBytes: number }
  readonly holds?: { readonly count: number; readonly heldNano: bigint }
  readonly supply?: SupplyGauges
  /** null when this node does not know the balance. */
  readonly balanceOf?: (accountId: string) => bigint | null
  /** The used shares of the limits of an account. */
  readonly limitsOf?: (accountId: string) => readonly LimitUse[]
  readonly sinks?: readonly SinkFigures[]
  /** Refused requests that were not kept. */
  readonly refusalsDropped?: number
  readonly process: ProcessGauges
}

export interface LimitUse {
  readonly limit: string
  readonly ratio: number
}

export interface ProcessGauges {
  readonly residentBytes: number
  readonly cpuSeconds: number
  readonly startedAtSeconds: number
  readonly version: string
}

export interface JournalGauges {
  readonly bytes: number
  readonly maxBytes: number
  /** Age of the settlement that has waited longest; 0 when none waits. */
  readonly oldestSeconds: number
  readonly isRefusing: boolean
}

/** The state of the platform's own suppliers, by supplier or model. */
export interface SupplyGauges {
  readonly circuits: readonly { supplier: string; state: string; count: number }[]
  readonly credentials: readonly { supplier: string; state: string; count: number }[]
  readonly modelCandidates: ReadonlyMap<string, number>
  readonly capacityUsed: readonly { supplier: string; limit: string; ratio: number }[]
}

/** One call to the shared limits. */
export interface LimitsCall {
  /** `late`: no answer in time. `skipped`: not called, because recent calls failed. */
  readonly result: 'answered' | 'late' | 'failed' | 'skipped'
  /** null when it was skipped. */
  readonly durationMs: number | null
}

export interface MetricsOptions {
  /** How many accounts have series of their own. */
  readonly maxAccounts?: number
}

/**
 * Counts for Prometheus. Requests are counted when they are logged and almost everything else when settlements are stored,
 * so the request path does no work for metrics. Labels are names that operators have configured, and ids of a bounded
 * number of accounts; never text from clients.
 */
export class Metrics {
  readonly #requests = new Map<number, number>()
  readonly #errors = new Map<string, number>()
  readonly #limitRefusals = new Map<string, number>()
  readonly #settled: SettledWork
  readonly #damagedLines = new Map<'cut_off' | 'altered', number>([
    ['cut_off', 0],
    ['altered', 0],
  ])
  readonly #sharedLimitsCalls = new Map<LimitsCall['result'], number>()
  readonly #sharedLimitsTimes = new Histogram('turnpike_shared_limits_call_seconds')
  readonly #loopLag = new Histogram('turnpike_event_loop_lag_seconds')
  #supplierLabel = (supplierId: string) => supplierId

  constructor({ maxAccounts = 0 }: MetricsOptions = {}) {
    this.#settled = new SettledWork({ maxAccounts, supplierLabel: (id) => this.#supplierLabel(id) })
  }

  /** Sets what stands for a supplier, as soon as the configuration is known. */
  labelSuppliers(label: (supplierId: string) => string): void {
    this.#supplierLabel = label
  }

  noteSharedLimitsCall({ result, durationMs }: LimitsCall): void {
    countOne(this.#sharedLimitsCalls, result)
    if (durationMs !== null) this.#sharedLimitsTimes.observe(durationMs / 1_000)
  }

  noteLoopLag(seconds: number): void {
    this.#loopLag.observe(seconds)
  }

  /** A journal line that cannot be read: cut off by a crash, or altered on disk. */
  noteDamagedLine(kind: 'cut_off' | 'altered'): void {
    countOne(this.#damagedLines, kind)
  }

  /** The same log, which also counts its request lines. */
  countRequests(log: Log): Log {
    return {
      request: (line) => {
        countOne(this.#requests, line.status)
        const error = line.findings?.error
        if (error !== undefined) this.#noteError(error)
        log.request(line)
      },
      attemptFailed: (line) => log.attemptFailed(line),
      notice: (what, facts) => log.notice(what, facts),
      trouble: (what, error, requestId) => log.trouble(what, error, requestId),
    }
  }

  noteSettlements(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) this.#settled.note(settlement)
  }

  /** For one stream: counts how long it waits for each piece. */
  readonly gapsOf: ChunkGaps = (modelId, supplierId) => {
    const histogram = this.#settled.gapsOf(modelId, supplierId)
    return (gapMs) => histogram.observe(gapMs / 1_000)
  }

  read(gauges: Gauges): Readings {
    const page = new ReadingsBuilder()
    for (const [status, count] of this.#requests)
      page.add('turnpike_http_requests_total', { status: String(status) }, count)
    for (const [code, count] of this.#errors) page.add('turnpike_errors_total', { code }, count)
    for (const [limit, count] of this.#limitRefusals)
      page.add('turnpike_limit_refusals_total', { limit }, count)
    this.#settled.addTo(page)
    for (const [result, count] of this.#sharedLimitsCalls)
      page.add('turnpike_shared_limits_calls_total', { result }, count)
    for (const [kind, count] of this.#damagedLines)
      page.add('turnpike_journal_damaged_lines_total', { kind }, count)
    if (!this.#sharedLimitsTimes.isEmpty)
      page.add('turnpike_shared_limits_call_seconds', {}, readingOf(this.#sharedLimitsTimes))
    if (!this.#loopLag.isEmpty) page.add('turnpike_event_loop_lag_seconds', {}, readingOf(this.#loopLag))
    this.#addAccounts(page, gauges)
    addGauges(page, gauges)
    return page.readings
  }

  #noteError({ code, limit, accountId }: LoggedError): void {
    countOne(this.#errors, code)
    if (limit !== null) countOne(this.#limitRefusals, limit)
    if (accountId !== null) this.#settled.noteError(accountId, code)
  }

  #addAccounts(page: ReadingsBuilder, { balanceOf, limitsOf }: Gauges): void {
    for (const account of this.#settled.accountIds) {
      for (const { limit, ratio } of limitsOf?.(account) ?? [])
        page.add('turnpike_account_limit_used_ratio', { account, limit }, ratio)
      const balanceNano = balanceOf?.(account) ?? null
      if (balanceNano !== null) page.add('turnpike_account_balance_usdt', { account }, usdt(balanceNano))
    }
  }
}

function readingOf({ counts, sum }: Histogram) {
  return { counts: counts.slice(), sum }
}

function addGauges(page: ReadingsBuilder, gauges: Gauges): void {
  const { liveStreams, journalWaiting, journal, connections, bodies, holds, supply } = gauges
  page.add('turnpike_live_streams', {}, liveStreams).add('turnpike_journal_waiting', {}, journalWaiting)
  if (gauges.backgroundResponses !== undefined)
    page.add('turnpike_background_responses', {}, gauges.backgroundResponses)
  if (bodies !== undefined)
    page.add('turnpike_body_bytes', {}, bodies.bytes).add('turnpike_body_max_bytes', {}, bodies.maxBytes)
  if (holds !== undefined)
    page.add('turnpike_holds', {}, holds.count).add('turnpike_held_usdt', {}, usdt(holds.heldNano))
  if (journal !== undefined) addJournal(page, journal)
  if (connections !== undefined) addConnections(page, connections)
  if (supply !== undefined) addSupply(page, supply)
  for (const figures of gauges.sinks ?? []) addSink(page, figures)
  if (gauges.refusalsDropped !== undefined)
    page.add('turnpike_refusals_dropped_total', {}, gauges.refusalsDropped)
  addNode(page, gauges)
  addProcess(page, gauges.process)
}

function addJournal(
  page: ReadingsBuilder,
  { bytes, maxBytes, oldestSeconds, isRefusing }: JournalGauges,
): void {
  page
    .add('turnpike_journal_bytes', {}, bytes)
    .add('turnpike_journal_max_bytes', {}, maxBytes)
    .add('turnpike_journal_oldest_seconds', {}, oldestSeconds)
    .add('turnpike_journal_refusing', {}, isRefusing ? 1 : 0)
}

function addSink(page: ReadingsBuilder, { sink, ...figures }: SinkFigures): void {
  page
    .add('turnpike_sink_waiting_lines', { sink }, figures.waiting)
    .add('turnpike_sink_oldest_seconds', { sink }, figures.oldestSeconds)
    .add('turnpike_sink_sent_lines_total', { sink }, figures.sent)
    .add('turnpike_sink_lost_lines_total', { sink }, figures.lost)
    .add('turnpike_sink_failed_attempts_total', { sink }, figures.failedAttempts)
}

function addConnections(page: ReadingsBuilder, connections: ConnectionGauges): void {
  page
    .add('turnpike_connections', {}, connections.open)
    .add('turnpike_connections_max', {}, connections.max)
    .add('turnpike_websockets', {}, connections.webSockets)
    .add('turnpike_connections_refused_total', { limit: 'total' }, connections.refusedByTotal)
    .add('turnpike_connections_refused_total', { limit: 'address' }, connections.refusedByAddress)
    .add('turnpike_connections_closed_for_room_total', {}, connections.dismissed)
    .add('turnpike_descriptor_shortages_total', {}, connections.descriptorShortages)
}

function addSupply(page: ReadingsBuilder, supply: SupplyGauges): void {
  for (const { count, ...labels } of supply.circuits) page.add('turnpike_circuits', labels, count)
  for (const { count, ...labels } of supply.credentials) page.add('turnpike_credentials', labels, count)
  for (const [model, count] of supply.modelCandidates) page.add('turnpike_model_candidates', { model }, count)
  for (const { ratio, ...labels } of supply.capacityUsed)
    page.add('turnpike_supplier_capacity_used_ratio', labels, ratio)
}

function addNode(page: ReadingsBuilder, { nodesLiving, sharedLimitsState }: Gauges): void {
  if (nodesLiving !== undefined) page.add('turnpike_nodes', {}, nodesLiving)
  if (sharedLimitsState === undefined) return
  for (const state of SHARED_LIMITS_STATES)
    page.add('turnpike_shared_limits_state', { state }, state === sharedLimitsState ? 1 : 0)
}

function addProcess(page: ReadingsBuilder, gauges: ProcessGauges): void {
  page
    .add('turnpike_processes', {}, 1)
    .add('turnpike_build_info', { version: gauges.version }, 1)
    .add('process_resident_memory_bytes', {}, gauges.residentBytes)
    .add('process_cpu_seconds_total', {}, gauges.cpuSeconds)
    .add('process_start_time_seconds', {}, gauges.startedAtSeconds)
}
