import { endedAtMs } from '../../../rules/ledger/aggregate.ts'
import type { Settlement } from '../../../vocabulary/settlement.ts'
import type { Database, Parameter } from '../database.ts'
import { LedgerDifference } from './ledger-difference.ts'
import { encodeSettlement, SETTLEMENT_COLUMNS, type SettlementRow } from './settlement-rows.ts'

const PORTION = 100

/** What is in the journal is in the database and the same there. Gives how many were compared, and how many are missing. */
export async function verifyJournal(
  moment: Database,
  settlements: Iterable<Settlement>,
  onMissing: (settlement: Settlement) => void,
): Promise<number> {
  let compared = 0
  for (const portion of inPortions(settlements)) {
    const stored = await findStored(moment, portion)
    for (const settlement of portion) {
      const row = stored.get(settlement.requestId)
      if (row === undefined) onMissing(settlement)
      else requireSame(settlement, row)
    }
    compared += portion.length
  }
  return compared
}

/** Whether it is of a time whose settlements may be gone from the database. */
export function isBeyond(horizonMs: number, settlement: Settlement): boolean {
  return endedAtMs(settlement) < horizonMs
}

function* inPortions(settlements: Iterable<Settlement>): Generator<Settlement[]> {
  let portion: Settlement[] = []
  for (const settlement of settlements) {
    portion.push(settlement)
    if (portion.length < PORTION) continue
    yield portion
    portion = []
  }
  if (portion.length > 0) yield portion
}

async function findStored(
  moment: Database,
  portion: readonly Settlement[],
): Promise<Map<string, SettlementRow>> {
  const places = portion.map((_, index) => `$${index + 1}`)
  const rows = await moment.rows<SettlementRow>(
    `select ${SETTLEMENT_COLUMNS.join(', ')} from settlements where request_id in (${places.join(', ')})`,
    portion.map(({ requestId }) => requestId),
  )
  return new Map(rows.map((row) => [row.request_id, row]))
}

function requireSame(settlement: Settlement, row: SettlementRow): void {
  const journaled = encodeSettlement(settlement)
  for (const [index, column] of SETTLEMENT_COLUMNS.entries()) {
    if (comparable(journaled[index] ?? null) === comparable(row[column])) continue
    throw new LedgerDifference(
      `Settlement ${settlement.requestId} has another ${column} in the journal than in the database.`,
    )
  }
}

// As PostgreSQL keeps a text: it cannot hold the character NUL.
function comparable(value: Parameter): string | null {
  return value === null ? null : String(value).replaceAll('\0', '\uFFFD')
}
