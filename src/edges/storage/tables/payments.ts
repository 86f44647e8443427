import type { Adjustment, Payment } from '../../../gateway/ports/storage.ts'
import type { Database } from '../database.ts'
import { enterInLedger } from './ledger.ts'

interface PaymentRow {
  readonly id: string
  readonly account_id: string
  readonly reference: string
  readonly amount_nano: bigint
  readonly note: string | null
  readonly at_ms: bigint
}

/** Null when recorded now, otherwise the payment that already has this reference. */
export async function recordPayment(tx: Database, payment: Payment): Promise<Payment | null> {
  const { id, accountId, reference, amountNano, note, atMs } = payment
  // Waits for another transaction that is recording the same reference, and then finds it taken.
  const inserted = await tx.rows(
    `insert into payments (id, account_id, reference, amount_nano, note, at_ms)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (account_id, reference) do nothing
    returning id`,
    [id, accountId, reference, amountNano, note, BigInt(atMs)],
  )
  if (inserted.length === 0) return findPayment(tx, payment)
  await enterInLedger(tx, [
    { kind: 'payment', id, accountId, amountNano, requestId: null, reference, note, atMs },
  ])
  return null
}

export async function recordAdjustment(tx: Database, adjustment: Adjustment): Promise<void> {
  const { id, accountId, amountNano, reason, atMs } = adjustment
  await enterInLedger(tx, [
    { kind: 'adjustment', id, accountId, amountNano, requestId: null, reference: null, note: reason, atMs },
  ])
}

async function findPayment(tx: Database, { accountId, reference }: Payment): Promise<Payment> {
  const [row] = await tx.rows<PaymentRow>(
    `select id, account_id, reference, amount_nano, note, at_ms
    from payments where account_id = $1 and reference = $2`,
    [accountId, reference],
  )
  if (row === undefined) throw new Error(`The payment ${reference} was there and is gone.`)
  return {
    id: row.id,
    accountId: row.account_id,
    amountNano: row.amount_nano,
    reference: row.reference,
    note: row.note,
    atMs: Number(row.at_ms),
  }
}
