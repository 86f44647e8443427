import type { Listing, Page, SettlementListFilter } from '../../../gateway/ports/storage.ts'
import { SPAN_MS, spanStartMs, type UsageSpan } from '../../../rules/ledger/aggregate.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import { decodeCursor, type Position, pageOf } from '../cursor.ts'
import type { Database, Parameter } from '../database.ts'
import { decodeSettlement, SETTLEMENT_COLUMNS, type SettlementRow } from './settlement-rows.ts'

/** What to read: the newest, up to a limit, of those that are older than a position. */
interface Portion {
  readonly position: Position | null
  readonly limit: number
}

export async function listSettlements(
  database: Database,
  filter: SettlementListFilter,
  page: Page,
): Promise<Listing<Settlement>> {
  const portion = {
    position: page.cursor === null ? null : decodeCursor(page.cursor),
    limit: page.limit + 1,
  }
  const rows = isOfModel(filter)
    ? await readByHour(database, filter, portion)
    : await readRows(database, conditionsOf(filter), portion)
  return pageOf(
    rows.map((row) => decodeSettlement(row)),
    page,
    ({ startedAtMs, requestId }) => ({ atMs: startedAtMs, id: requestId }),
  )
}

interface Spans {
  readonly starts: readonly number[]
  readonly lengthMs: number
  /** How many of the newest of each span are enough; all, if left out. */
  readonly limit?: number
}

/** Conditions on rows, with the values they are about. */
class Conditions {
  readonly texts: string[] = []
  readonly parameters: Parameter[] = []

  add(condition: string, value: string | number | undefined): void {
    if (value !== undefined) this.texts.push(`${condition} ${this.place(value)}`)
  }

  /** A condition that SQLite chooses no index by, and PostgreSQL takes for the plain one. */
  addPlain(condition: string, value: string | number | undefined): void {
    if (value !== undefined) this.texts.push(`(${condition} ${this.place(value)} or 1 = 0)`)
  }

  addPosition(position: Position | null, startedAtMs = 'started_at_ms'): void {
    if (position === null) return
    const { atMs, id } = position
    this.texts.push(`(${startedAtMs}, request_id) < (${this.place(atMs)}, ${this.place(id)})`)
  }

  /** One query for each span: with "or" between them the databases find no better way than to read everything. */
  inEachSpan(query: string, expression: string, spans: Spans): string {
    const queries = spans.starts.map((startMs, index) => {
      const [first, end] = [this.place(startMs), this.place(startMs + spans.lengthMs)]
      const within = `${expression} >= ${first} and ${expression} < ${end}`
      const ofSpan = `${query} where ${[...this.texts, within].join(' and ')}`
      return spans.limit === undefined ? ofSpan : this.newestOf(ofSpan, spans.limit, index)
    })
    return queries.join(' union all ')
  }

  /**
   * With a limit of its own a span is no work to share: PostgreSQL would start processes for what takes a millisecond.
   * The sign keeps SQLite from walking through everything in this order instead.
   */
  newestOf(query: string, limit: number, index: number): string {
    const order = 'order by +started_at_ms desc, request_id desc'
    return `select * from (${query} ${order} limit ${this.place(limit)}) as span_${index}`
  }

  /** Parameters are bound in the order in which they stand in the text. */
  place(value: string | number): string {
    this.parameters.push(typeof value === 'number' ? BigInt(value) : value)
    return `$${this.parameters.length}`
  }
}

/** `fromMs` is part of the wanted time, `toMs` is not, so that adjoining times share no settlement. */
function conditionsOf(filter: SettlementListFilter): Conditions {
  const { accountId, keyId, model, outcome, fromMs, toMs } = filter
  const wanted = new Conditions()
  wanted.add('account_id =', accountId)
  wanted.add('outcome =', outcome)
  wanted.add('started_at_ms >=', fromMs)
  wanted.add('started_at_ms <', toMs)
  if (accountId === undefined || outcome === undefined || outcome === 'completed') {
    wanted.add('key_id =', keyId)
    wanted.add('model =', model)
    return wanted
  }
  // Of what went wrong there is little: its index, which has to be asked for in so many words, holds keys and models.
  wanted.texts.push("outcome <> 'completed'")
  wanted.addPlain('key_id =', keyId)
  wanted.addPlain('model =', model)
  return wanted
}

// Nothing that either database would choose an index by.
const STARTED_AT_MS = '(started_at_ms + 0)'

/**
 * The same for hours in which an account's requests ended, by whose index they are to be found and no other: which hours
 * are meant PostgreSQL does not know when it makes a plan to keep, and any other way would take a hundred times as long.
 */
function conditionsWithinHours(filter: ModelFilter): Conditions {
  const wanted = new Conditions()
  wanted.add('account_id =', filter.accountId)
  wanted.add("(key_id || '') =", filter.keyId)
  wanted.add("(model || '') =", filter.model)
  wanted.add('outcome =', filter.outcome)
  wanted.add(`${STARTED_AT_MS} >=`, filter.fromMs)
  wanted.add(`${STARTED_AT_MS} <`, filter.toMs)
  return wanted
}

class UsageConditions extends Conditions {
  constructor({ accountId, model, keyId }: ModelFilter, span: UsageSpan) {
    super()
    this.add('account_id =', accountId)
    this.add('span =', span)
    this.add('model =', model)
    this.add('key_id =', keyId)
  }
}

const COLUMNS = SETTLEMENT_COLUMNS.join(', ')
const NEWEST_FIRST = 'order by started_at_ms desc, request_id desc'

function readRows(
  database: Database,
  wanted: Conditions,
  { position, limit }: Portion,
): Promise<SettlementRow[]> {
  wanted.addPosition(position)
  return database.rows<SettlementRow>(
    `select ${COLUMNS} from settlements
    ${wanted.texts.length === 0 ? '' : `where ${wanted.texts.join(' and ')}`}
    ${NEWEST_FIRST} limit ${wanted.place(limit)}`,
    wanted.parameters,
  )
}

type ModelFilter = SettlementListFilter & { readonly accountId: string; readonly model: string }

function isOfModel(filter: SettlementListFilter): filter is ModelFilter {
  const { accountId, model, outcome = 'completed' } = filter
  return accountId !== undefined && model !== undefined && outcome === 'completed'
}

/**
 * A model that an account seldom uses may be anywhere among a million settlements, and an index to find it by would
 * make writing all of them dearer. But what is added up already tells the hours in which it was used.
 */
async function readByHour(
  database: Database,
  filter: ModelFilter,
  portion: Portion,
): Promise<SettlementRow[]> {
  let newest: SettlementRow[] = []
  for await (const hours of hoursOf(database, filter, portion.position)) {
    newest.push(...(await readHours(database, conditionsWithinHours(filter), { ...portion, hours })))
    newest = newest.sort(compareNewestFirst).slice(0, portion.limit)
    const oldest = newest.at(-1)
    // Whatever ended before these hours has also begun before them.
    if (newest.length === portion.limit && oldest && oldest.started_at_ms >= (hours.at(-1) ?? 0)) break
  }
  return newest
}

function readHours(
  database: Database,
  wanted: Conditions,
  { position, limit, hours }: Portion & { readonly hours: readonly number[] },
): Promise<SettlementRow[]> {
  wanted.addPosition(position, STARTED_AT_MS)
  const spans = { starts: hours, lengthMs: SPAN_MS.hour, limit }
  const queries = wanted.inEachSpan(`select ${COLUMNS} from settlements`, ENDED_AT_MS, spans)
  return database.rows<SettlementRow>(
    `select ${COLUMNS} from (${queries}) as hours ${NEWEST_FIRST} limit ${wanted.place(limit)}`,
    wanted.parameters,
  )
}

// As the index of an account's settlements by their end has it.
const ENDED_AT_MS = 'cast(started_at_ms + duration_ms as bigint)'

function compareNewestFirst(one: SettlementRow, other: SettlementRow): number {
  const difference = Number(other.started_at_ms - one.started_at_ms)
  if (difference !== 0) return difference
  return one.request_id < other.request_id ? 1 : -1
}

// No request takes longer: a client, a supplier or an operator would have ended it.
const LONGEST_REQUEST_MS = SPAN_MS.day

/** The hours in which requests ended that may be wanted, newest first. Days are looked at before hours: they are few. */
async function* hoursOf(
  database: Database,
  filter: ModelFilter,
  position: Position | null,
): AsyncGenerator<readonly number[]> {
  const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER - LONGEST_REQUEST_MS } = filter
  const lastMs = Math.min(toMs, position?.atMs ?? toMs) + LONGEST_REQUEST_MS
  const wanted = new UsageConditions(filter, 'day')
  wanted.add('start_ms >=', spanStartMs('day', fromMs))
  wanted.add('start_ms <=', lastMs)
  const days = await usedSpans(database, `${USED_SPANS} where ${wanted.texts.join(' and ')}`, wanted)
  for (const starts of inGrowingPortions(days)) {
    const ofDays = new UsageConditions(filter, 'hour')
    const queries = ofDays.inEachSpan(USED_SPANS, 'start_ms', { starts, lengthMs: SPAN_MS.day })
    yield* inGrowingPortions(await usedSpans(database, queries, ofDays))
  }
}

// A column that no index holds keeps SQLite from walking through the hours of all accounts.
const USED_SPANS = 'select start_ms, completed from usage_totals'

const LARGEST_PORTION = 32

/** Mostly the first few are all that is needed; when they are not, asking for one after the other would take long. */
function* inGrowingPortions(items: readonly number[]): Generator<readonly number[]> {
  let size = 1
  for (let done = 0; done < items.length; ) {
    yield items.slice(done, done + size)
    done += size
    size = Math.min(2 * size, LARGEST_PORTION)
  }
}

async function usedSpans(database: Database, queries: string, { parameters }: Conditions): Promise<number[]> {
  const rows = await database.rows<{ start_ms: bigint }>(
    `select start_ms, max(completed) as most from (${queries}) as used group by start_ms order by start_ms desc`,
    parameters,
  )
  return rows.map(({ start_ms }) => Number(start_ms))
}
