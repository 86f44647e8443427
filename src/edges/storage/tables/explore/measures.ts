import { ALL_ACCOUNTS } from '../../../../rules/ledger/aggregate.ts'
import { ErrorSums, type ErrorTotal } from '../../../../rules/ledger/explore/error-sums.ts'
import { MeasureSums, type MeasureTotal } from '../../../../rules/ledger/explore/measure-sums.ts'
import { SYSTEM_TIMERS, type Timers } from '../../../../vocabulary/clock.ts'
import type { Settlement, UsageSpan } from '../../../../vocabulary/settlement.ts'
import type { Database, Parameter } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import { createPriceReader, decodeSettlement, SETTLEMENT_COLUMNS } from '../money/settlement-rows.ts'
import { encodeMeasures, MEASURE_FIGURES, MEASURE_PLACE } from './measure-rows.ts'

const ADD_MEASURES = planInsert({
  table: 'usage_measures',
  columns: [...MEASURE_PLACE, ...MEASURE_FIGURES],
  ending: `on conflict (${MEASURE_PLACE.join(', ')}) do update set
    ${MEASURE_FIGURES.map((column) => `${column} = usage_measures.${column} + excluded.${column}`).join(', ')}`,
})

const ERROR_PLACE = ['span', 'start_ms', 'account_id', 'key_id', 'model', 'supplier', 'code'] as const
const ADD_ERRORS = planInsert({
  table: 'usage_errors',
  columns: [...ERROR_PLACE, 'count'],
  ending: `on conflict (${ERROR_PLACE.join(', ')}) do update set count = usage_errors.count + excluded.count`,
})

/** Longest time that what was counted waits to be written; meanwhile more of the same groups may come. */
export const MEASURES_WAIT_MS = 500

/** What was counted and not written yet. */
class PendingMeasures {
  readonly #database: Database
  readonly #timers: Timers
  #hours = new MeasureSums('hour')
  #errors = new ErrorSums('hour')
  #stopTimer: (() => void) | null = null
  #writing = Promise.resolve()

  constructor(database: Database, timers: Timers) {
    this.#database = database
    this.#timers = timers
  }

  add(written: readonly Settlement[], removed: readonly Settlement[]): void {
    for (const settlement of written) {
      this.#hours.add(settlement)
      this.#errors.add(settlement, 1)
    }
    // They did nothing, so nothing was measured of them.
    for (const settlement of removed) this.#errors.add(settlement, -1)
    // The settlements are stored, so this must not look like a failure to store them.
    this.#stopTimer ??= this.#timers.after(MEASURES_WAIT_MS, () => void this.write().catch(() => undefined))
  }

  /** Ends when all that was added before is written. What cannot be written waits for the next time. */
  write(): Promise<void> {
    this.#stopTimer?.()
    this.#stopTimer = null
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#writeAll())
    return this.#writing
  }

  async #writeAll(): Promise<void> {
    const [measures, errors] = [this.#hours.totals(), this.#errors.totals()]
    this.#hours = new MeasureSums('hour')
    this.#errors = new ErrorSums('hour')
    if (measures.length === 0 && errors.length === 0) return
    try {
      await this.#database.transaction((tx) => writeTotals(tx, measures, errors))
    } catch (error) {
      for (const total of measures) this.#hours.addTotal(total)
      for (const total of errors) this.#errors.addTotal(total)
      throw error
    }
  }
}

const pendingOf = new WeakMap<Database, PendingMeasures>()

/**
 * Counts settlements once they are stored, outside of their transaction: these are statistics, and money must not wait for
 * them. A process that dies before they are written leaves them out; a rebuild counts them.
 */
export function measureSettlements(
  database: Database,
  written: readonly Settlement[],
  removed: readonly Settlement[] = [],
): void {
  const pending = pendingOf.get(database) ?? new PendingMeasures(database, SYSTEM_TIMERS)
  pendingOf.set(database, pending)
  pending.add(written, removed)
}

/** Whose timers decide when this database is written to. */
export function setMeasureTimers(database: Database, timers: Timers): void {
  pendingOf.set(database, new PendingMeasures(database, timers))
}

/** Before reading and closing, so that everything that this node has stored is counted. */
export async function flushMeasures(database: Database): Promise<void> {
  await pendingOf.get(database)?.write()
}

async function writeTotals(
  tx: Database,
  measures: readonly MeasureTotal[],
  errors: readonly ErrorTotal[],
): Promise<void> {
  const [measuredDays, errorDays] = [new MeasureSums('day'), new ErrorSums('day')]
  for (const total of measures) measuredDays.addTotal(total)
  for (const total of errors) errorDays.addTotal(total)
  const byHour = withAll('hour', measures).map((total) => encodeMeasures('hour', total))
  const byDay = withAll('day', measuredDays.totals()).map((total) => encodeMeasures('day', total))
  await insertRows(tx, ADD_MEASURES, [...byHour, ...byDay])
  const errorsByHour = errors.map((total) => encodeErrors('hour', total))
  const errorsByDay = errorDays.totals().map((total) => encodeErrors('day', total))
  await insertRows(tx, ADD_ERRORS, [...errorsByHour, ...errorsByDay])
}

/** Those of all accounts together, then those of each. */
function withAll(span: UsageSpan, totals: readonly MeasureTotal[]): readonly MeasureTotal[] {
  const ofAll = new MeasureSums(span)
  for (const total of totals) ofAll.addTotal({ ...total, group: { ...total.group, accountId: ALL_ACCOUNTS } })
  return [...ofAll.totals(), ...totals]
}

function encodeErrors(span: UsageSpan, { startMs, group, code, count }: ErrorTotal): Parameter[] {
  const { accountId, keyId, model, supplier } = group
  return [span, startMs, accountId, keyId, model, supplier ?? '', code, count]
}

const PAGE = 500

/** Counts all stored settlements again, in a transaction that keeps other writers waiting. */
export async function rebuildMeasures(tx: Database, horizonMs: bigint): Promise<void> {
  for (const table of ['usage_measures', 'usage_errors'] as const) {
    await queryOn(tx).deleteFrom(table).where('start_ms', '>=', horizonMs).execute()
  }
  const readPrice = createPriceReader()
  let after: readonly [bigint, string] = [BigInt(Number.MIN_SAFE_INTEGER), '']
  for (;;) {
    const rows = await queryOn(tx)
      .selectFrom('settlements')
      .select(SETTLEMENT_COLUMNS)
      .where((row) => row(row.refTuple('started_at_ms', 'request_id'), '>', row.tuple(...after)))
      .where((row) => row(row('started_at_ms', '+', row.ref('duration_ms')), '>=', horizonMs))
      .orderBy('started_at_ms')
      .orderBy('request_id')
      .limit(PAGE)
      .execute()
    const [hours, errors] = [new MeasureSums('hour'), new ErrorSums('hour')]
    for (const row of rows) {
      const settlement = decodeSettlement(row, readPrice)
      hours.add(settlement)
      errors.add(settlement, 1)
    }
    await writeTotals(tx, hours.totals(), errors.totals())
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    after = [last.started_at_ms, last.request_id]
  }
}
