import { FIGURE_NAMES, SPAN_MS, UsageSums, type UsageTotal } from '../../../rules/ledger/aggregate.ts'
import type { RecountedDay } from '../../../rules/ledger/recount.ts'
import { formatUsdt } from '../../../vocabulary/money.ts'
import type { UsageSpan } from '../../../vocabulary/settlement.ts'
import type { Database } from '../database.ts'
import { LedgerDifference } from './ledger-difference.ts'
import { encodeUsage, FIGURE_COLUMNS, FIGURES, type UsageRow } from './usage-rows.ts'

const DAY_MS = SPAN_MS.day

/** Compares what is stored of days with what was counted again, day after day. */
export class DayVerifier {
  readonly #moment: Database
  readonly #horizonMs: number
  #nextDay = 0
  #days = 0

  /** Before the horizon settlements may be gone, so that only what was added up of them can be compared. */
  constructor(moment: Database, horizonMs: number) {
    this.#moment = moment
    this.#horizonMs = horizonMs
  }

  get days(): number {
    return this.#days
  }

  /** Days come in order. Those in between have nothing that could be counted, but something may be stored of them. */
  async verify(recounted: RecountedDay): Promise<void> {
    await this.#verifyUncounted(recounted.day)
    await this.#verifyDay(recounted)
    this.#nextDay = recounted.day + 1
  }

  verifyRest(): Promise<void> {
    return this.#verifyUncounted(null)
  }

  async #verifyUncounted(before: number | null): Promise<void> {
    for (;;) {
      const day = await findStoredDay(this.#moment, this.#nextDay)
      if (day === null || (before !== null && day >= before)) return
      await this.#verifyDay({ day, hours: [] })
      this.#nextDay = day + 1
    }
  }

  async #verifyDay({ day, hours }: RecountedDay): Promise<void> {
    this.#days += 1
    const startMs = day * DAY_MS
    const spends = await verifySpends(this.#moment, { day, hours })
    if (startMs < this.#horizonMs) {
      await verifyHoursOfDay(this.#moment, startMs)
      await verifyCountedSpends(this.#moment, day, spends)
      return
    }
    const days = new UsageSums('day')
    for (const total of hours) days.addTotal(total)
    await verifyUsage(this.#moment, startMs, { span: 'hour', expected: hours })
    await verifyUsage(this.#moment, startMs, { span: 'day', expected: days.totals() })
  }
}

/** The first day from this one on of which anything is stored. */
async function findStoredDay(moment: Database, from: number): Promise<number | null> {
  const [row] = await moment.rows<{ day: bigint | null }>(
    `select min(day) as day from (
      select min(day) as day from key_daily_spend where day >= $1
      union all select min(day) as day from carried_settlements where day >= $1
      union all select min(start_ms) / ${DAY_MS} as day from usage_totals where span = 'day' and start_ms >= $2
      union all select min(start_ms) / ${DAY_MS} as day from usage_totals where span = 'hour' and start_ms >= $2
    ) as stored`,
    [BigInt(from), BigInt(from * DAY_MS)],
  )
  return row === undefined || row.day === null ? null : Number(row.day)
}

type SpendByKey = ReadonlyMap<string, bigint>

interface SpendRow {
  readonly key_id: string
  readonly amount_nano: bigint
}

/** What keys spent on a day is what their settlements of that day cost, deleted ones included. */
async function verifySpends(moment: Database, { day, hours }: RecountedDay): Promise<SpendByKey> {
  const expected = new Map<string, bigint>()
  for (const { group, figures } of hours) addTo(expected, group.keyId, figures.amountNano)
  const carried = await moment.rows<SpendRow>(
    'select key_id, amount_nano from carried_settlements where day = $1',
    [BigInt(day)],
  )
  for (const row of carried) addTo(expected, row.key_id, row.amount_nano)
  const stored = await moment.rows<SpendRow>(
    'select key_id, amount_nano from key_daily_spend where day = $1',
    [BigInt(day)],
  )
  requireSameSpends(day, expected, stored)
  return expected
}

/** Of days whose settlements are gone the usage cannot be counted again, but what it cost is known. */
async function verifyCountedSpends(moment: Database, day: number, spends: SpendByKey): Promise<void> {
  const counted = await moment.rows<SpendRow>(
    `select key_id, cast(sum(amount_nano) as bigint) as amount_nano from usage_totals
    where span = 'day' and start_ms = $1 group by key_id`,
    [BigInt(day * DAY_MS)],
  )
  const difference = findDifference(spends, counted)
  if (difference === null) return
  const { keyId, expectedNano, storedNano } = difference
  throw new LedgerDifference(
    `Key ${keyId} spent ${formatUsdt(expectedNano)} on ${dateOf(day)}, but its usage says ${formatUsdt(storedNano)}.`,
  )
}

function requireSameSpends(day: number, expected: SpendByKey, stored: readonly SpendRow[]): void {
  const difference = findDifference(expected, stored)
  if (difference === null) return
  const { keyId, expectedNano, storedNano } = difference
  throw new LedgerDifference(
    `Key ${keyId} has a daily spend of ${formatUsdt(storedNano)} on ${dateOf(day)}, ` +
      `but its settlements of that day sum to ${formatUsdt(expectedNano)}.`,
  )
}

function findDifference(expected: SpendByKey, stored: readonly SpendRow[]) {
  const found = new Map(stored.map((row) => [row.key_id, row.amount_nano]))
  for (const keyId of new Set([...expected.keys(), ...found.keys()])) {
    const [expectedNano, storedNano] = [expected.get(keyId) ?? 0n, found.get(keyId) ?? 0n]
    if (expectedNano !== storedNano) return { keyId, expectedNano, storedNano }
  }
  return null
}

function addTo(sums: Map<string, bigint>, keyId: string, amountNano: bigint): void {
  sums.set(keyId, (sums.get(keyId) ?? 0n) + amountNano)
}

interface Expectation {
  readonly span: UsageSpan
  readonly expected: readonly UsageTotal[]
}

const PLACE = ['start_ms', 'account_id', 'key_id', 'model', 'supplier'] as const

/** The stored usage of a day is what was counted again, row by row and figure by figure. */
async function verifyUsage(moment: Database, dayMs: number, { span, expected }: Expectation): Promise<void> {
  const stored = await moment.rows<UsageRow>(
    `select ${[...PLACE, ...FIGURES].join(', ')} from usage_totals
    where span = $1 and start_ms >= $2 and start_ms < $3`,
    [span, BigInt(dayMs), BigInt(dayMs + DAY_MS)],
  )
  const byPlace = new Map(stored.map((row) => [JSON.stringify(PLACE.map((name) => String(row[name]))), row]))
  for (const total of expected) {
    // Behind the span comes what tells the place, then the figures.
    const place = encodeUsage(span, total).slice(1, PLACE.length + 1)
    const name = JSON.stringify(place.map(String))
    requireFigures({ span, name }, total, byPlace.get(name))
    byPlace.delete(name)
  }
  const [extra] = byPlace.keys()
  if (extra !== undefined) {
    throw new LedgerDifference(`The usage by ${span} has ${extra}, of which there are no settlements.`)
  }
}

function requireFigures(
  { span, name }: { span: UsageSpan; name: string },
  { figures }: UsageTotal,
  row: UsageRow | undefined,
): void {
  if (row === undefined) {
    throw new LedgerDifference(`The usage by ${span} lacks ${name}, of which there are settlements.`)
  }
  for (const figure of FIGURE_NAMES) {
    const stored = row[FIGURE_COLUMNS[figure]]
    if (stored === BigInt(figures[figure])) continue
    throw new LedgerDifference(
      `The usage by ${span} of ${name} has ${FIGURE_COLUMNS[figure]} ${stored}, but its settlements sum to ${figures[figure]}.`,
    )
  }
}

async function verifyHoursOfDay(moment: Database, dayMs: number): Promise<void> {
  const sums = FIGURES.map((column) => `sum(${column}) as ${column}`).join(', ')
  const negative = FIGURES.map((column) => `-${column} as ${column}`).join(', ')
  const group = 'account_id, key_id, model, supplier'
  const [row] = await moment.rows<UsageRow>(
    `select ${group} from (
      select ${group}, ${sums} from (
        select ${group}, ${FIGURES.join(', ')} from usage_totals where span = 'day' and start_ms = $1
        union all
        select ${group}, ${negative} from usage_totals where span = 'hour' and start_ms >= $1 and start_ms < $2
      ) as both_spans group by ${group}
    ) as left_over
    where ${FIGURES.map((column) => `${column} <> 0`).join(' or ')} limit 1`,
    [BigInt(dayMs), BigInt(dayMs + DAY_MS)],
  )
  if (row === undefined) return
  const name = JSON.stringify([row.account_id, row.key_id, row.model, row.supplier])
  throw new LedgerDifference(`The usage of ${name} on ${dateOf(dayMs / DAY_MS)} is not the sum of its hours.`)
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}
