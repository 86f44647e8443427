import { endedAtMs, SPAN_MS } from '../../../rules/ledger/aggregate.ts'
import { dayOf } from '../../../rules/ledger/period.ts'
import type { AuditEvent } from '../../../vocabulary/audit-event.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import type { Database } from '../database.ts'
import { Refusal } from '../refusal.ts'
import { insertRows, planInsert } from '../statements.ts'
import { writeAuditEvent } from './audit-events.ts'

const ADD_TO_CARRIED = planInsert({
  table: 'carried_settlements',
  columns: ['account_id', 'key_id', 'day', 'settlements', 'amount_nano', 'at_ms'],
  ending: `on conflict (account_id, key_id, day) do update set
    settlements = carried_settlements.settlements + excluded.settlements,
    amount_nano = carried_settlements.amount_nano + excluded.amount_nano`,
})

interface DeletedRow {
  readonly account_id: string
  readonly key_id: string
  readonly amount_nano: bigint
  readonly started_at_ms: bigint
  readonly duration_ms: bigint
}

/** Settlements that ended before this may have been deleted. */
export async function findHorizonMs(database: Database): Promise<number> {
  const [row] = await database.rows<{ gone_before_ms: bigint }>(
    'select gone_before_ms from settlement_horizon',
    [],
  )
  return Number(row?.gone_before_ms ?? 0)
}

/**
 * Says that settlements which ended before this may be deleted from now on. It never goes back: what is deleted stays
 * deleted. False, and without an event, when it stands there or further on already.
 */
export function moveHorizon(database: Database, goneBeforeMs: number, event: AuditEvent): Promise<boolean> {
  return database.transaction(async (tx) => {
    const moved = await tx.rows(
      `update settlement_horizon set gone_before_ms = $1 where gone_before_ms < $1 returning only_row`,
      [BigInt(goneBeforeMs)],
    )
    if (moved.length > 0) await writeAuditEvent(tx, event)
    return moved.length > 0
  })
}

/**
 * Without the stored one nobody can tell whether this is its second copy; counting it might charge an account twice, so
 * a person has to look.
 */
export async function refuseBeyondHorizon(tx: Database, settlements: readonly Settlement[]): Promise<void> {
  const horizonMs = await findHorizonMs(tx)
  const gone = settlements.find((settlement) => endedAtMs(settlement) < horizonMs)
  if (gone === undefined) return
  throw new Refusal(
    `Settlement ${gone.requestId} is from a time whose settlements were deleted; it may have been one of them.`,
  )
}

/**
 * Deletes up to so many settlements from before the horizon, oldest first, and gives how many it was. What they cost
 * becomes part of one entry for each key and day, in the same transaction: no balance ever changes by it.
 */
export function carrySettlements(database: Database, atMost: number): Promise<number> {
  return database.transaction(async (tx) => {
    const horizonMs = BigInt(await findHorizonMs(tx))
    // What started before the horizon and ended after it stays; the index knows only when things started.
    const deleted = await tx.rows<DeletedRow>(
      `delete from settlements where request_id in (
        select request_id from settlements
        where started_at_ms < $1 and started_at_ms + duration_ms < $1
        order by started_at_ms limit $2)
      returning account_id, key_id, amount_nano, started_at_ms, duration_ms`,
      [horizonMs, BigInt(atMost)],
    )
    await insertRows(tx, ADD_TO_CARRIED, sumUp(deleted))
    return deleted.length
  })
}

type CarriedRow = [
  accountId: string,
  keyId: string,
  day: bigint,
  settlements: bigint,
  nano: bigint,
  atMs: bigint,
]

function sumUp(rows: readonly DeletedRow[]): CarriedRow[] {
  const sums = new Map<string, CarriedRow>()
  for (const row of rows) {
    if (row.amount_nano === 0n) continue
    const day = dayOf(Number(row.started_at_ms + row.duration_ms))
    const place = JSON.stringify([row.account_id, row.key_id, day])
    const [, , , count, nano] = sums.get(place) ?? ['', '', 0n, 0n, 0n, 0n]
    const lastMomentMs = BigInt((day + 1) * SPAN_MS.day - 1)
    sums.set(place, [
      row.account_id,
      row.key_id,
      BigInt(day),
      count + 1n,
      nano + row.amount_nano,
      lastMomentMs,
    ])
  }
  return [...sums.values()]
}
