import { isPresumed } from '../../../rules/ledger/journal-line.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import type { Database } from '../database.ts'
import { decodeSettlement, SETTLEMENT_COLUMNS, type SettlementRow } from './settlement-rows.ts'

/** What `isPresumed` says, of rows. */
const IS_PRESUMED = `outcome = 'interrupted' and supplier is null and attempts = '[]' and amount_nano = 0
  and duration_ms = 0`

/**
 * Removes what stands in the place of these settlements because somebody took their requests for interrupted, and gives
 * it. It was counted and must be taken from the usage; it never cost anything.
 */
export async function removePresumed(
  tx: Database,
  settlements: readonly Settlement[],
): Promise<readonly Settlement[]> {
  const ids = settlements.filter((settlement) => !isPresumed(settlement)).map(({ requestId }) => requestId)
  if (ids.length === 0) return []
  const rows = await tx.rows<SettlementRow>(
    `delete from settlements where ${IS_PRESUMED} and request_id in (${placesFor(ids)})
    returning ${SETTLEMENT_COLUMNS.join(', ')}`,
    ids,
  )
  return rows.map((row) => decodeSettlement(row))
}

/** The requests of these whose settlement is stored, and would not be replaced by the one given. */
export async function findKnown(
  database: Database,
  settlements: readonly Settlement[],
): Promise<ReadonlySet<string>> {
  const ids = settlements.map(({ requestId }) => requestId)
  if (ids.length === 0) return new Set()
  const rows = await database.rows<{ request_id: string; presumed: bigint }>(
    `select request_id, case when ${IS_PRESUMED} then 1 else 0 end as presumed
    from settlements where request_id in (${placesFor(ids)})`,
    ids,
  )
  const presumed = new Map(rows.map((row) => [row.request_id, row.presumed === 1n]))
  const known = settlements.filter((settlement) => {
    const isGuessStored = presumed.get(settlement.requestId)
    return isGuessStored !== undefined && (!isGuessStored || isPresumed(settlement))
  })
  return new Set(known.map(({ requestId }) => requestId))
}

function placesFor(ids: readonly string[]): string {
  return ids.map((_, index) => `$${index + 1}`).join(', ')
}
