import type { Adjustment, LedgerEntry, Recorded } from '../../../gateway/ports/storage.ts'
import type { Database } from '../database.ts'
import { enterAdjustmentOnce } from './ledger.ts'

interface AdjustmentRow {
  readonly id: string
  readonly amount_nano: bigint
  readonly note: string
  readonly at_ms: bigint
}

export async function recordAdjustment(tx: Database, adjustment: Adjustment): Promise<Recorded<Adjustment>> {
  const isNew = await enterAdjustmentOnce(tx, ledgerEntryOf(adjustment))
  return { record: isNew ? adjustment : await findAdjustment(tx, adjustment), isNew }
}

function ledgerEntryOf({ id, accountId, reference, amountNano, reason, atMs }: Adjustment): LedgerEntry {
  return { kind: 'adjustment', id, accountId, amountNano, requestId: null, reference, note: reason, atMs }
}

async function findAdjustment(tx: Database, { accountId, reference }: Adjustment): Promise<Adjustment> {
  const [row] = await tx.rows<AdjustmentRow>(
    `select id, amount_nano, note, at_ms from posted_entries
    where kind = 'adjustment' and account_id = $1 and reference = $2`,
    [accountId, reference],
  )
  if (row === undefined) throw new Error(`The adjustment ${reference} was there and is gone.`)
  const { id, note } = row
  return { id, accountId, amountNano: row.amount_nano, reference, reason: note, atMs: Number(row.at_ms) }
}
