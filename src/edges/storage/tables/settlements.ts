import type { StoredBalance } from '../../../gateway/ports/shared-books.ts'
import { endedAtMs } from '../../../rules/ledger/aggregate.ts'
import { dayOf } from '../../../rules/ledger/period.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import type { Database } from '../database.ts'
import { insertRows, planInsert } from '../statements.ts'
import { addToDailySpends, BalanceSums, moveBalances, SpendSums } from './ledger.ts'
import { removePresumed } from './presumed-settlements.ts'
import { refuseBeyondHorizon } from './retention.ts'
import {
  decodeSettlement,
  encodeSettlement,
  SETTLEMENT_COLUMNS,
  type SettlementRow,
} from './settlement-rows.ts'
import { addToUsage, takeFromUsage } from './usage.ts'

const INSERT_NEW = planInsert({ table: 'settlements', columns: SETTLEMENT_COLUMNS, ending: '' })

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
  const batch = orderById(settlements)
  const rows = batch.map(encodeSettlement)
  try {
    return await database.transaction(async (tx) => {
      await insertRows(tx, INSERT_NEW, rows)
      return charge(tx, batch)
    })
  } catch {
    return database.transaction(async (tx) => {
      const presumed = await removePresumed(tx, batch)
      const inserted = await insertRows<{ request_id: string }>(tx, INSERT_UNKNOWN, rows)
      const ids = new Set(inserted.map((row) => row.request_id))
      const moved = await charge(
        tx,
        batch.filter(({ requestId }) => ids.has(requestId)),
      )
      await takeFromUsage(tx, presumed)
      return moved
    })
  }
}

/**
 * A settlement that costs nothing is no ledger entry and adds to no spend: it moves no money. Gives the balances that
 * were moved.
 */
async function charge(tx: Database, settlements: readonly Settlement[]): Promise<readonly StoredBalance[]> {
  await refuseBeyondHorizon(tx, settlements)
  const balances = new BalanceSums()
  const spends = new SpendSums()
  for (const settlement of settlements) {
    const { accountId, keyId, amountNano } = settlement
    if (amountNano === 0n) continue
    balances.add(accountId, -amountNano, 0n)
    spends.add(keyId, dayOf(endedAtMs(settlement)), amountNano)
  }
  const moved = await moveBalances(tx, balances)
  await addToDailySpends(tx, spends)
  await addToUsage(tx, settlements)
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
