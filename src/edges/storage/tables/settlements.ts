import type { StoredBalance } from '../../../gateway/ports/shared-books.ts'
import { dayOf } from '../../../rules/ledger/period.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import type { Database } from '../database.ts'
import { insertAlike, insertRows, planInsert } from '../statements.ts'
import { addToDailySpends, BalanceSums, moveBalances, SpendSums } from './ledger.ts'
import { removePresumed } from './presumed-settlements.ts'
import { refuseBeyondHorizon } from './retention.ts'
import { groupByKind } from './settlement-kinds.ts'
import {
  decodeSettlement,
  encodeKind,
  encodeOwn,
  encodeSettlement,
  KIND_COLUMNS,
  OWN_COLUMNS,
  SETTLEMENT_COLUMNS,
  type SettlementRow,
} from './settlement-rows.ts'
import { addToUsage, sumUsage, takeFromUsage } from './usage.ts'

const INSERT_NEW = planInsert({ table: 'settlements', columns: SETTLEMENT_COLUMNS, ending: '' })

const INSERT_ALIKE = planInsert({
  table: 'settlements',
  common: KIND_COLUMNS,
  columns: OWN_COLUMNS,
  ending: '',
})

const INSERT_UNKNOWN = planInsert({
  table: 'settlements',
  columns: SETTLEMENT_COLUMNS,
  ending: 'on conflict (request_id) do nothing returning request_id',
})

const SELECT_SETTLEMENTS = `select ${SETTLEMENT_COLUMNS.join(', ')} from settlements`

/**
 * Nearly always all of a batch is new, and then nobody needs to be asked which of it is. Only when it is refused, it
 * may be that some of it was written before a crash, or was presumed to have been interrupted.
 */
export async function writeSettlements(
  database: Database,
  settlements: readonly Settlement[],
): Promise<readonly StoredBalance[]> {
  if (settlements.length === 0) return []
  // Where only one can write, nobody waits for the order of ids, and one that is there twice is refused.
  const batch = database.hasOneWriter ? settlements : orderById(settlements)
  try {
    return await database.transaction(async (tx) => {
      await insertNew(tx, batch)
      return charge(tx, batch)
    })
  } catch {
    return writeUnknown(database, orderById(settlements))
  }
}

function writeUnknown(database: Database, batch: readonly Settlement[]): Promise<readonly StoredBalance[]> {
  return database.transaction(async (tx) => {
    const presumed = await removePresumed(tx, batch)
    const inserted = await insertRows<{ request_id: string }>(tx, INSERT_UNKNOWN, batch.map(encodeSettlement))
    const ids = new Set(inserted.map((row) => row.request_id))
    const moved = await charge(
      tx,
      batch.filter(({ requestId }) => ids.has(requestId)),
    )
    await takeFromUsage(tx, presumed)
    return moved
  })
}

/** Where only one can write, nobody waits for the order of ids, and what is alike can be written together. */
async function insertNew(tx: Database, batch: readonly Settlement[]): Promise<void> {
  if (!tx.hasOneWriter) {
    await insertRows(tx, INSERT_NEW, batch.map(encodeSettlement))
    return
  }
  for (const group of groupByKind(batch)) {
    const [first] = group
    if (first === undefined) continue
    await insertAlike(tx, INSERT_ALIKE, { common: encodeKind(first), rows: group.map(encodeOwn) })
  }
}

/**
 * A settlement that costs nothing is no ledger entry and adds to no spend: it moves no money. Gives the balances that
 * were moved.
 */
async function charge(tx: Database, settlements: readonly Settlement[]): Promise<readonly StoredBalance[]> {
  await refuseBeyondHorizon(tx, settlements)
  const usage = sumUsage(settlements)
  const balances = new BalanceSums()
  const spends = new SpendSums()
  for (const { startMs, group, figures } of usage.day) {
    const { amountNano } = figures
    if (amountNano === 0n) continue
    balances.add(group.accountId, -amountNano, 0n)
    spends.add(group.keyId, dayOf(startMs), amountNano)
  }
  const moved = await moveBalances(tx, balances)
  await addToDailySpends(tx, spends)
  await addToUsage(tx, usage)
  return moved
}

/**
 * Each request once, the first one given, in the order of ids: two nodes that write the same requests then meet them in the same
 * order and cannot wait for each other.
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

export async function findSettlement(database: Database, requestId: string): Promise<Settlement | null> {
  const [row] = await database.rows<SettlementRow>(`${SELECT_SETTLEMENTS} where request_id = $1`, [requestId])
  return row === undefined ? null : decodeSettlement(row)
}
