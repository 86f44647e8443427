import { sql } from 'kysely'
import {
  type CountedRequest,
  FIGURE_NAMES,
  Recount,
  type RecountedDay,
  SPAN_MS,
  sumWithoutKeys,
  UsageSums,
  type UsageTotal,
} from '../../../../rules/ledger/aggregate.ts'
import { priceOf, withMarkup } from '../../../../rules/ledger/charge.ts'
import { formatUsdt } from '../../../../vocabulary/money.ts'
import type { Settlement, UsageFigures, UsageSpan } from '../../../../vocabulary/settlement.ts'
import type { Database } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import type { Tables } from '../../tables.ts'
import {
  COUNTED_COLUMNS,
  createPriceReader,
  decodeCounted,
  GROUP_COLUMNS,
  type SettlementRow,
} from './settlement-rows.ts'
import {
  ACCOUNT_PLACE,
  encodeAccountUsage,
  encodeUsage,
  FIGURE_COLUMNS,
  FIGURES,
  type FigureRow,
  PLACE_COLUMNS,
  type UsageRow,
} from './usage-rows.ts'

/** Two records that should say the same and do not. The message names both. */
export class LedgerDifference extends Error {}

const PAGE = 500

const COLUMNS = ['request_id', 'price', 'cost_rates', 'markup_basis_points', ...COUNTED_COLUMNS] as const

/**
 * Reads every settlement once, in pages, and compares everything that was ever counted of them. Gives what each account
 * has spent, as far as the settlements are still there.
 */
export async function verifySettlements(moment: Database, horizonMs: number) {
  const days = new DayVerifier(moment, horizonMs)
  const recount = new Recount()
  const spentByAccount = new Map<string, bigint>()
  const readPrice = createPriceReader()
  let settlements = 0
  for await (const row of readAll(moment)) {
    const request = decodeCounted(row)
    const startedAtMs = Number(row.started_at_ms)
    for (const day of recount.takeComplete(startedAtMs)) await days.verify(day)
    if (!recount.add(request)) {
      throw new LedgerDifference(`Settlement ${row.request_id} ended before it started.`)
    }
    requireCharge(row.request_id, request, {
      price: readPrice(row.price),
      costRates: readPrice(row.cost_rates),
      markupBasisPoints: row.markup_basis_points === null ? null : Number(row.markup_basis_points),
    })
    spentByAccount.set(row.account_id, (spentByAccount.get(row.account_id) ?? 0n) + row.amount_nano)
    settlements += 1
  }
  for (const day of recount.takeRest()) await days.verify(day)
  await days.verifyRest()
  return { settlements, days: days.days, spentByAccount }
}

async function* readAll(moment: Database): AsyncGenerator<Pick<SettlementRow, (typeof COLUMNS)[number]>> {
  let after: readonly [bigint, string] = [BigInt(Number.MIN_SAFE_INTEGER), '']
  for (;;) {
    const [startedAtMs, requestId] = after
    const rows = await queryOn(moment)
      .selectFrom('settlements')
      .select(COLUMNS)
      .where((row) =>
        row(row.refTuple('started_at_ms', 'request_id'), '>', row.tuple(startedAtMs, requestId)),
      )
      .orderBy('started_at_ms')
      .orderBy('request_id')
      .limit(PAGE)
      .execute()
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    after = [last.started_at_ms, last.request_id]
  }
}

type Rates = Pick<Settlement, 'price' | 'costRates' | 'markupBasisPoints'>

/** What was charged, and what the supplier charges, is the usage at the rates that are stored. */
function requireCharge(
  requestId: string,
  { usage, amountNano, costNano }: CountedRequest,
  rates: Rates,
): void {
  const { price, costRates, markupBasisPoints } = rates
  const priceNano = price === null ? 0n : priceOf(usage, price)
  const expectedNano = withMarkup(priceNano, markupBasisPoints)
  if (expectedNano !== amountNano) {
    throw new LedgerDifference(
      `Settlement ${requestId} was charged ${formatUsdt(amountNano)}, but its usage at its price is ${formatUsdt(expectedNano)}.`,
    )
  }
  const expectedCostNano = costRates === null ? priceNano : priceOf(usage, costRates)
  if (expectedCostNano === costNano) return
  throw new LedgerDifference(
    `Settlement ${requestId} has a cost of ${formatUsdt(costNano)}, but its usage at the supplier's rates is ${formatUsdt(expectedCostNano)}.`,
  )
}

const DAY_MS = SPAN_MS.day

/** Compares what is stored of days with what was counted again, day after day. */
class DayVerifier {
  readonly #moment: Database
  readonly #horizonMs: number
  #nextDay = 0
  days = 0

  /** Before the horizon settlements may be gone, so that only what was added up of them can be compared. */
  constructor(moment: Database, horizonMs: number) {
    this.#moment = moment
    this.#horizonMs = horizonMs
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
    this.days += 1
    const startMs = day * DAY_MS
    const spends = await verifySpends(this.#moment, { day, hours })
    if (startMs < this.#horizonMs) {
      await verifyHoursOfDay(this.#moment, startMs)
      await verifyCountedSpends(this.#moment, day, spends)
      await verifyAccountsOfDay(this.#moment, startMs)
      return
    }
    const days = new UsageSums('day')
    for (const total of hours) days.addTotal(total)
    await verifyUsage(this.#moment, startMs, { of: BY_KEY, span: 'hour', expected: hours })
    await verifyUsage(this.#moment, startMs, { of: BY_KEY, span: 'day', expected: days.totals() })
    const accounts = sumWithoutKeys('hour', hours)
    await verifyUsage(this.#moment, startMs, { of: BY_ACCOUNT, span: 'hour', expected: accounts })
    const expected = sumWithoutKeys('day', accounts)
    await verifyUsage(this.#moment, startMs, { of: BY_ACCOUNT, span: 'day', expected })
  }
}

/** The first day from this one on of which anything is stored. */
async function findStoredDay(moment: Database, from: number): Promise<number | null> {
  const fromMs = BigInt(from * DAY_MS)
  const { day } = await queryOn(moment)
    .selectFrom((stored) => {
      const daysIn = (table: 'key_daily_spend' | 'carried_settlements') =>
        stored
          .selectFrom(table)
          .select((row) => row.fn.min<bigint | null>('day').as('day'))
          .where('day', '>=', BigInt(from))
      const usageBy = (span: UsageSpan, table: 'usage_totals' | 'account_usage') =>
        stored
          .selectFrom(table)
          .select((row) => sql<bigint | null>`${row.fn.min('start_ms')} / ${sql.lit(DAY_MS)}`.as('day'))
          .where('span', '=', span)
          .where('start_ms', '>=', fromMs)
      return daysIn('key_daily_spend')
        .unionAll(daysIn('carried_settlements'))
        .unionAll(usageBy('day', 'usage_totals'))
        .unionAll(usageBy('hour', 'usage_totals'))
        .unionAll(usageBy('day', 'account_usage'))
        .unionAll(usageBy('hour', 'account_usage'))
        .as('stored')
    })
    .select((row) => row.fn.min('day').as('day'))
    .executeTakeFirstOrThrow()
  return day === null ? null : Number(day)
}

type SpendByKey = ReadonlyMap<string, bigint>

type SpendRow = Pick<Tables['key_daily_spend'], 'key_id' | 'amount_nano'>

/** What keys spent on a day is what their settlements of that day cost, deleted ones included. */
async function verifySpends(moment: Database, { day, hours }: RecountedDay): Promise<SpendByKey> {
  const expected = new Map<string, bigint>()
  for (const { group, figures } of hours) addTo(expected, group.keyId, figures.amountNano)
  const spendsIn = (table: 'key_daily_spend' | 'carried_settlements') =>
    queryOn(moment)
      .selectFrom(table)
      .select(['key_id', 'amount_nano'])
      .where('day', '=', BigInt(day))
      .execute()
  for (const row of await spendsIn('carried_settlements')) addTo(expected, row.key_id, row.amount_nano)
  requireSpends(expected, await spendsIn('key_daily_spend'), (keyId, wanted, stored) => {
    const sum = `but its settlements of that day sum to ${wanted}.`
    return `Key ${keyId} has a daily spend of ${stored} on ${dateOf(day)}, ${sum}`
  })
  return expected
}

/** Of days whose settlements are gone the usage cannot be counted again, but what it cost is known. */
async function verifyCountedSpends(moment: Database, day: number, spends: SpendByKey): Promise<void> {
  const counted = await queryOn(moment)
    .selectFrom('usage_totals')
    .select((row) => ['key_id', row.cast<bigint>(row.fn.sum('amount_nano'), 'bigint').as('amount_nano')])
    .where('span', '=', 'day')
    .where('start_ms', '=', BigInt(day * DAY_MS))
    .groupBy('key_id')
    .execute()
  requireSpends(spends, counted, (keyId, wanted, stored) => {
    return `Key ${keyId} spent ${wanted} on ${dateOf(day)}, but its usage says ${stored}.`
  })
}

function requireSpends(
  expected: SpendByKey,
  stored: readonly SpendRow[],
  describe: (keyId: string, expected: string, stored: string) => string,
): void {
  const found = new Map(stored.map((row) => [row.key_id, row.amount_nano]))
  for (const keyId of new Set([...expected.keys(), ...found.keys()])) {
    const [expectedNano, storedNano] = [expected.get(keyId) ?? 0n, found.get(keyId) ?? 0n]
    if (expectedNano === storedNano) continue
    throw new LedgerDifference(describe(keyId, formatUsdt(expectedNano), formatUsdt(storedNano)))
  }
}

function addTo(sums: Map<string, bigint>, keyId: string, amountNano: bigint): void {
  sums.set(keyId, (sums.get(keyId) ?? 0n) + amountNano)
}

const BY_KEY = {
  table: sql<UsageRow & { span: UsageSpan }>`usage_totals`,
  place: PLACE_COLUMNS,
  encode: encodeUsage,
  title: 'usage',
}
const BY_ACCOUNT = {
  table: sql<UsageRow & { span: UsageSpan }>`account_usage`,
  place: ACCOUNT_PLACE,
  encode: encodeAccountUsage,
  title: 'usage of accounts',
}

interface Expectation {
  readonly of: typeof BY_KEY | typeof BY_ACCOUNT
  readonly span: UsageSpan
  readonly expected: readonly UsageTotal[]
}

/** The stored usage of a day is what was counted again, row by row and figure by figure. */
async function verifyUsage(
  moment: Database,
  dayMs: number,
  { of, span, expected }: Expectation,
): Promise<void> {
  // The first one is the span.
  const [, ...columns] = of.place
  const stored = await queryOn(moment)
    .selectFrom(of.table.as('stored'))
    .select([...columns, ...FIGURES])
    .where('span', '=', span)
    .where('start_ms', '>=', BigInt(dayMs))
    .where('start_ms', '<', BigInt(dayMs + DAY_MS))
    .execute()
  const byPlace = new Map(
    stored.map((row) => [JSON.stringify(columns.map((name) => String(row[name]))), row]),
  )
  for (const total of expected) {
    const place = of.encode(span, total).slice(1, columns.length + 1)
    const name = JSON.stringify(place.map(String))
    requireFigures(`${of.title} by ${span}`, { name, figures: total.figures }, byPlace.get(name))
    byPlace.delete(name)
  }
  for (const [extra, row] of byPlace) {
    // Nodes of the previous version leave empty rows of accounts behind.
    if (of === BY_ACCOUNT && FIGURES.every((column) => row[column] === 0n)) continue
    throw new LedgerDifference(`The ${of.title} by ${span} has ${extra}, of which there are no settlements.`)
  }
}

function requireFigures(
  title: string,
  { name, figures }: { readonly name: string; readonly figures: UsageFigures },
  row: FigureRow | undefined,
): void {
  if (row === undefined) {
    throw new LedgerDifference(`The ${title} lacks ${name}, of which there are settlements.`)
  }
  for (const figure of FIGURE_NAMES) {
    const stored = row[FIGURE_COLUMNS[figure]]
    if (stored === BigInt(figures[figure])) continue
    throw new LedgerDifference(
      `The ${title} of ${name} has ${FIGURE_COLUMNS[figure]} ${stored}, but its settlements sum to ${figures[figure]}.`,
    )
  }
}

async function verifyHoursOfDay(moment: Database, dayMs: number): Promise<void> {
  const row = await queryOn(moment)
    .selectFrom((usage) =>
      usage
        .selectFrom('usage_totals')
        .select([...GROUP_COLUMNS, ...FIGURES])
        .where('span', '=', 'day')
        .where('start_ms', '=', BigInt(dayMs))
        .unionAll(
          usage
            .selectFrom('usage_totals')
            .select((hour) => [
              ...GROUP_COLUMNS,
              ...FIGURES.map((figure) => hour.neg(hour.ref(figure)).as(figure)),
            ])
            .where('span', '=', 'hour')
            .where('start_ms', '>=', BigInt(dayMs))
            .where('start_ms', '<', BigInt(dayMs + DAY_MS)),
        )
        .as('both_spans'),
    )
    .select(GROUP_COLUMNS)
    .groupBy(GROUP_COLUMNS)
    .having((both) => both.or(FIGURES.map((figure) => both(both.fn.sum(figure), '<>', both.lit(0)))))
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return
  const name = JSON.stringify([row.account_id, row.key_id, row.model, row.supplier])
  throw new LedgerDifference(`The usage of ${name} on ${dateOf(dayMs / DAY_MS)} is not the sum of its hours.`)
}

/** Usage of accounts is the sum of that of their keys, and usage of all accounts that of each. */
async function verifyAccountsOfDay(moment: Database, dayMs: number): Promise<void> {
  const place = ACCOUNT_PLACE.join(', ')
  const ofDay = "span in ('hour', 'day') and start_ms >= $1 and start_ms < $2"
  const differ = FIGURES.map((figure) => `sum(${figure}) <> 0`).join(' or ')
  const negative = FIGURES.map((figure) => `-${figure} as ${figure}`).join(', ')
  const [row] = await moment.rows<{ account_id: string; model: string; supplier: string }>(
    `select account_id, model, supplier from (
      select ${place}, ${FIGURES.join(', ')} from usage_totals where ${ofDay}
      union all
      select span, start_ms, '', model, supplier, ${FIGURES.join(', ')} from usage_totals where ${ofDay}
      union all
      select ${place}, ${negative} from account_usage where ${ofDay}
    ) as both_totals group by ${place} having ${differ} limit 1`,
    [BigInt(dayMs), BigInt(dayMs + DAY_MS)],
  )
  if (row === undefined) return
  const name = JSON.stringify([row.account_id, row.model, row.supplier])
  throw new LedgerDifference(
    `The usage of accounts of ${name} on ${dateOf(dayMs / DAY_MS)} is not the sum of that of its keys.`,
  )
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}
