import { type ExpressionBuilder, sql } from 'kysely'
import { isPresumed } from '../../../../rules/ledger/journal-line.ts'
import { endedAtMs } from '../../../../rules/ledger/period.ts'
import type { StoredBalance } from '../../../../serve/ports/shared-storage.ts'
import type { Settlement } from '../../../../vocabulary/settlement.ts'
import type { Database, Parameter } from '../../engines/database.ts'
import { inPortions, queryOn } from '../../query.ts'
import { insertAlike, insertRows, planInsert } from '../../statements.ts'
import type { Tables } from '../../tables.ts'
import { measureSettlements } from '../explore/measures.ts'
import { addToSessions, takeFromSessions } from '../sessions/session-totals.ts'
import { addSinkEntries } from '../supply/sink-entries.ts'
import { addToAccountUsage } from '../usage/account-usage.ts'
import { addToDailySpends, SpendSums } from '../usage/key-spends.ts'
import { BalanceSums, moveBalances } from './ledger.ts'
import { refuseBeyondHorizon } from './retention.ts'
import {
  decodeSettlement,
  encodeKind,
  encodeOwn,
  encodeRare,
  encodeSettlement,
  groupByKind,
  isOrdinary,
  KIND_COLUMNS,
  OWN_COLUMNS,
  RARE_COLUMNS,
  SETTLEMENT_COLUMNS,
} from './settlement-rows.ts'
import { addToUsage, sumUsage, takeFromUsage } from './usage.ts'

/** Ordinary settlements are written without the columns that are null in them. */
const INSERT_NEW = {
  ordinary: planInsert({ table: 'settlements', columns: [...KIND_COLUMNS, ...OWN_COLUMNS] }),
  others: planInsert({ table: 'settlements', columns: SETTLEMENT_COLUMNS }),
}

const INSERT_ALIKE = {
  ordinary: planInsert({ table: 'settlements', common: KIND_COLUMNS, columns: OWN_COLUMNS }),
  others: planInsert({
    table: 'settlements',
    common: KIND_COLUMNS,
    columns: [...OWN_COLUMNS, ...RARE_COLUMNS],
  }),
}

const INSERT_UNKNOWN = planInsert({
  table: 'settlements',
  columns: SETTLEMENT_COLUMNS,
  ending: 'on conflict (request_id) do nothing',
  returning: ['request_id'],
})

/**
 * Nearly always a whole batch is new, so it is inserted without looking first. Only when that is refused, some of it may
 * have been written before a crash, or presumed interrupted.
 */
export async function writeSettlements(
  database: Database,
  settlements: readonly Settlement[],
  onKnown?: (fresh: readonly Settlement[]) => void,
): Promise<readonly StoredBalance[]> {
  if (settlements.length === 0) return []
  // With a single writer the order of ids does not matter, and a duplicate is refused.
  const batch = database.hasOneWriter ? settlements : orderById(settlements)
  const moved = await writeNew(database, batch)
  if (moved !== null) {
    measureSettlements(database, batch)
    return moved
  }
  const known = await writeUnknown(database, orderById(settlements))
  onKnown?.(known.fresh)
  measureSettlements(database, known.fresh, known.presumed)
  return known.moved
}

// Fewer hold up nobody for long, and waking a thread for them costs more than writing them.
const LEAST_BULK = 256

/** Null when some of it is not new, and nothing was written. */
async function writeNew(
  database: Database,
  batch: readonly Settlement[],
): Promise<readonly StoredBalance[] | null> {
  const write = async (tx: Database) => {
    await insertNew(tx, batch)
    return charge(tx, batch)
  }
  try {
    return await (batch.length < LEAST_BULK ? database.transaction(write) : database.bulkTransaction(write))
  } catch {
    return null
  }
}

function writeUnknown(database: Database, batch: readonly Settlement[]) {
  return database.transaction(async (tx) => {
    const presumed = await removePresumed(tx, batch)
    const inserted = await insertRows(tx, INSERT_UNKNOWN, batch.map(encodeSettlement))
    const ids = new Set(inserted.map((row) => row.request_id))
    const fresh = batch.filter(({ requestId }) => ids.has(requestId))
    const moved = await charge(tx, fresh)
    await takeFromUsage(tx, presumed)
    await takeFromSessions(tx, presumed)
    return { moved, fresh, presumed }
  })
}

/** With a single writer the order of ids does not matter, so similar settlements can be written together. */
async function insertNew(tx: Database, batch: readonly Settlement[]): Promise<void> {
  if (!tx.hasOneWriter) {
    if (batch.every(isOrdinary)) await insertRows(tx, INSERT_NEW.ordinary, batch.map(encodeOrdinary))
    else await insertRows(tx, INSERT_NEW.others, batch.map(encodeSettlement))
    return
  }
  for (const group of groupByKind(batch)) {
    const [first] = group
    if (first === undefined) continue
    const common = encodeKind(first)
    if (isOrdinary(first)) {
      await insertAlike(tx, INSERT_ALIKE.ordinary, { common, rows: group.map(encodeOwn) })
    } else {
      const rows = group.map((one) => [...encodeOwn(one), ...encodeRare(one)])
      await insertAlike(tx, INSERT_ALIKE.others, { common, rows })
    }
  }
}

function encodeOrdinary(settlement: Settlement): Parameter[] {
  return [...encodeKind(settlement), ...encodeOwn(settlement)]
}

/** A settlement that costs nothing moves no money, so it is no ledger entry. Returns the changed balances. */
async function charge(tx: Database, settlements: readonly Settlement[]): Promise<readonly StoredBalance[]> {
  await refuseBeyondHorizon(tx, settlements)
  const usage = sumUsage(settlements)
  const balances = new BalanceSums()
  const spends = new SpendSums()
  for (const total of usage.day) {
    const { amountNano } = total.figures
    spends.add(total)
    if (amountNano !== 0n) balances.add(total.group.accountId, -amountNano, 0n)
  }
  const moved = await moveBalances(tx, balances)
  await addToDailySpends(tx, spends)
  await addToUsage(tx, usage)
  await addToSessions(tx, settlements)
  await addSinkEntries(tx, {
    stream: 'settlements',
    ids: settlements.map(({ requestId }) => requestId),
    atMs: Math.max(0, ...settlements.map(endedAtMs)),
  })
  // Last, as all nodes write to the same few rows, and each waits until the other has ended.
  await addToAccountUsage(tx, usage.hour)
  return moved
}

/**
 * Each request once (the first one given), in the order of ids, so that two nodes that write the same requests cannot
 * deadlock.
 */
function orderById(settlements: readonly Settlement[]): readonly Settlement[] {
  if (isInOrder(settlements)) return settlements
  const byId = new Map<string, Settlement>()
  for (const settlement of settlements) {
    if (!byId.has(settlement.requestId)) byId.set(settlement.requestId, settlement)
  }
  return [...byId.values()].sort((left, right) => (left.requestId < right.requestId ? -1 : 1))
}

function isInOrder(settlements: readonly Settlement[]): boolean {
  return settlements.every((one, index) => {
    const before = settlements[index - 1]
    return before === undefined || before.requestId < one.requestId
  })
}

/** In any order. */
export async function findSettlements(
  database: Database,
  requestIds: readonly string[],
): Promise<readonly Settlement[]> {
  const found: Settlement[] = []
  for (const portion of inPortions(requestIds, 500)) {
    const rows = await queryOn(database)
      .selectFrom('settlements')
      .select(SETTLEMENT_COLUMNS)
      .where('request_id', 'in', portion)
      .execute()
    for (const row of rows) found.push(decodeSettlement(row))
  }
  return found
}

export async function findSettlement(database: Database, requestId: string): Promise<Settlement | null> {
  const row = await queryOn(database)
    .selectFrom('settlements')
    .select(SETTLEMENT_COLUMNS)
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  return row === undefined ? null : decodeSettlement(row)
}

/** `isPresumed` as an SQL condition. */
function isPresumedRow(row: ExpressionBuilder<Tables, 'settlements'>) {
  const nothingDone = { attempts: '[]', amount_nano: 0n, duration_ms: 0n }
  return row.and([row('supplier', 'is', null), row.and({ outcome: 'interrupted', ...nothingDone })])
}

/**
 * Removes and returns the presumed settlements that these replace: those of requests that were presumed interrupted. They
 * must be subtracted from the usage; they cost nothing.
 */
async function removePresumed(
  tx: Database,
  settlements: readonly Settlement[],
): Promise<readonly Settlement[]> {
  const ids = settlements.filter((settlement) => !isPresumed(settlement)).map(({ requestId }) => requestId)
  if (ids.length === 0) return []
  const rows = await queryOn(tx)
    .deleteFrom('settlements')
    .where(isPresumedRow)
    .where('request_id', 'in', ids)
    .returning(SETTLEMENT_COLUMNS)
    .execute()
  return rows.map((row) => decodeSettlement(row))
}

/** The requests whose settlement is stored and would not be replaced by the given one. */
export async function findKnown(
  database: Database,
  settlements: readonly Settlement[],
): Promise<ReadonlySet<string>> {
  const ids = settlements.map(({ requestId }) => requestId)
  if (ids.length === 0) return new Set()
  const rows = await queryOn(database)
    .selectFrom('settlements')
    .select('request_id')
    // A condition itself is a number in one engine and a boolean in the other.
    .select((row) =>
      row.case().when(isPresumedRow(row)).then(sql.lit('yes')).else(sql.lit('no')).end().as('presumed'),
    )
    .where('request_id', 'in', ids)
    .execute()
  const presumed = new Map(rows.map((row) => [row.request_id, row.presumed === 'yes']))
  const known = settlements.filter((settlement) => {
    const isGuessStored = presumed.get(settlement.requestId)
    return isGuessStored !== undefined && (!isGuessStored || isPresumed(settlement))
  })
  return new Set(known.map(({ requestId }) => requestId))
}
