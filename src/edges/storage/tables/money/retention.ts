import { SPAN_MS } from '../../../../rules/ledger/aggregate.ts'
import { dayOf, endedAtMs } from '../../../../rules/ledger/period.ts'
import type { Settlement } from '../../../../vocabulary/settlement.ts'
import type { AuditEvent } from '../../../../vocabulary/system.ts'
import type { Database, Parameter } from '../../engines/database.ts'
import { prepare, queryOn } from '../../query.ts'
import { StorageRefusal } from '../../refusal.ts'
import { insertRows, planInsert } from '../../statements.ts'
import { deleteSessions } from '../sessions/session-totals.ts'
import { withEvent } from '../supply/audit-events.ts'
import type { SettlementRow } from './settlement-rows.ts'

const ADD_TO_CARRIED = planInsert({
  table: 'carried_settlements',
  columns: ['account_id', 'key_id', 'day', 'settlements', 'amount_nano', 'at_ms'],
  ending: `on conflict (account_id, key_id, day) do update set
    settlements = carried_settlements.settlements + excluded.settlements,
    amount_nano = carried_settlements.amount_nano + excluded.amount_nano`,
})

// Read with every batch of settlements.
const FIND_HORIZON = prepare((query) => query.selectFrom('settlement_horizon').select('gone_before_ms'))

/** Settlements that ended before this may have been deleted. */
export async function findHorizonMs(database: Database): Promise<number> {
  const row = await FIND_HORIZON.first(database, {})
  return Number(row?.gone_before_ms ?? 0)
}

/**
 * Allows settlements that ended before this to be deleted. It never moves back, because deleted settlements stay deleted.
 * False, and without an audit event, when it is already there or later.
 */
export function moveHorizon(database: Database, goneBeforeMs: number, event: AuditEvent): Promise<boolean> {
  return withEvent(database, event, async (tx) => {
    const moved = await queryOn(tx)
      .updateTable('settlement_horizon')
      .set({ gone_before_ms: BigInt(goneBeforeMs) })
      .where('gone_before_ms', '<', BigInt(goneBeforeMs))
      .returning('only_row')
      .execute()
    return moved.length > 0
  })
}

/**
 * Without the stored settlement it is impossible to know whether this is a duplicate. Counting it might charge an account
 * twice, so an operator has to decide.
 */
export async function refuseBeyondHorizon(tx: Database, settlements: readonly Settlement[]): Promise<void> {
  const horizonMs = await findHorizonMs(tx)
  const gone = settlements.find((settlement) => endedAtMs(settlement) < horizonMs)
  if (gone === undefined) return
  throw new StorageRefusal(
    `Settlement ${gone.requestId} ended before the oldest settlements that are kept. It may have been stored and deleted.`,
  )
}

/**
 * Deletes up to so many settlements from before the horizon, oldest first, and returns how many. In the same transaction
 * their cost is added to one entry per key and day, so no balance changes.
 */
export function carrySettlements(database: Database, atMost: number): Promise<number> {
  return database.transaction(async (tx) => {
    const horizonMs = BigInt(await findHorizonMs(tx))
    // Settlements that started before the horizon and ended after it stay; the index only has the start.
    const deleted = await queryOn(tx)
      .deleteFrom('settlements')
      .where('request_id', 'in', (oldest) =>
        oldest
          .selectFrom('settlements')
          .select('request_id')
          .where('started_at_ms', '<', horizonMs)
          .where((row) => row(row('started_at_ms', '+', row.ref('duration_ms')), '<', horizonMs))
          .orderBy('started_at_ms')
          .limit(atMost),
      )
      .returning(['account_id', 'key_id', 'amount_nano', 'started_at_ms', 'duration_ms'])
      .execute()
    await insertRows(tx, ADD_TO_CARRIED, sumUp(deleted))
    // What started a day before has ended.
    await deleteSessions(tx, Number(horizonMs) - SPAN_MS.day, atMost)
    return deleted.length
  })
}

type Deleted = Pick<SettlementRow, 'account_id' | 'key_id' | 'amount_nano' | 'started_at_ms' | 'duration_ms'>

function sumUp(rows: readonly Deleted[]): Parameter[][] {
  const charged = rows.filter(({ amount_nano }) => amount_nano !== 0n)
  const places = Map.groupBy(charged, ({ account_id, key_id, started_at_ms, duration_ms }) =>
    JSON.stringify([account_id, key_id, dayOf(Number(started_at_ms + duration_ms))]),
  )
  return [...places].map(([place, ofDay]) => {
    const [accountId, keyId, day]: [string, string, number] = JSON.parse(place)
    const nano = ofDay.reduce((sum, { amount_nano }) => sum + amount_nano, 0n)
    const lastMomentMs = (day + 1) * SPAN_MS.day - 1
    return [accountId, keyId, day, ofDay.length, nano, lastMomentMs]
  })
}
