import type { Settlement } from '../../../vocabulary/settlement.ts'
import type { Database } from '../engines/database.ts'
import { encodeSettlement, SETTLEMENT_COLUMNS } from '../tables/money/settlement-rows.ts'

/** The columns that came with rate cards and later. */
const LATER_COLUMNS: readonly string[] = [
  'usage_details',
  'cost_rates',
  'cost_nano',
  'markup_basis_points',
  'notes',
  'session',
  'agent',
  'parent_agent',
]

const OLD_COLUMNS = SETTLEMENT_COLUMNS.filter((column) => !LATER_COLUMNS.includes(column))
const INSERT_OLD = `insert into settlements (${OLD_COLUMNS.join(', ')})
  values (${OLD_COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})`

/** Writes the row of a settlement as programs did before rate cards, without counting it anywhere. */
export async function insertOldSettlement(database: Database, settlement: Settlement): Promise<void> {
  const values = encodeSettlement(settlement)
  const ofOld = OLD_COLUMNS.map((column) => values[SETTLEMENT_COLUMNS.indexOf(column)] ?? null)
  await database.rows(INSERT_OLD, ofOld)
}
