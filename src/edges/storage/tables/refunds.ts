import type { Recorded, Refund } from '../../../gateway/ports/storage.ts'
import type { Database } from '../database.ts'
import { enterInLedger } from './ledger.ts'

interface RefundRow {
  readonly id: string
  readonly amount_nano: bigint
  readonly reason: string
  readonly at_ms: bigint
}

export async function recordRefund(tx: Database, refund: Refund): Promise<Recorded<Refund>> {
  const { id, accountId, reference, amountNano, reason, atMs } = refund
  // Waits for another transaction that is recording the same reference, and then finds it taken.
  const inserted = await tx.rows(
    `insert into refunds (id, account_id, reference, amount_nano, reason, at_ms)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (account_id, reference) do nothing
    returning id`,
    [id, accountId, reference, amountNano, reason, BigInt(atMs)],
  )
  if (inserted.length === 0) return { record: await findRefund(tx, refund), isNew: false }
  await enterInLedger(tx, [
    {
      kind: 'refund',
      id,
      accountId,
      amountNano: -amountNano,
      requestId: null,
      reference,
      note: reason,
      atMs,
    },
  ])
  return { record: refund, isNew: true }
}

async function findRefund(tx: Database, { accountId, reference }: Refund): Promise<Refund> {
  const [row] = await tx.rows<RefundRow>(
    'select id, amount_nano, reason, at_ms from refunds where account_id = $1 and reference = $2',
    [accountId, reference],
  )
  if (row === undefined) throw new Error(`The refund ${reference} was there and is gone.`)
  const { id, reason } = row
  return { id, accountId, amountNano: row.amount_nano, reference, reason, atMs: Number(row.at_ms) }
}
