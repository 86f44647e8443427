import type {
  AuditEvent,
  LedgerEntry,
  Listing,
  Page,
  Payment,
  Recorded,
} from '../../../gateway/ports/storage.ts'
import type { ChangeBook } from '../change-book.ts'
import { decodeCursor, pageOf } from '../cursor.ts'
import type { Database, Parameter } from '../database.ts'
import { insertRows, planInsert } from '../statements.ts'
import { writeAuditEvent } from './audit-events.ts'
import { enterInLedger } from './ledger.ts'

interface PaymentRow {
  readonly id: string
  readonly account_id: string
  readonly reference: string
  readonly amount_nano: bigint
  readonly note: string | null
  readonly at_ms: bigint
}

const COLUMNS = ['id', 'account_id', 'reference', 'amount_nano', 'note', 'at_ms']
const SELECT_PAYMENTS = `select ${COLUMNS.join(', ')} from payments`

// Waits for another transaction that is recording the same reference, and then finds it taken.
const INSERT_PAYMENTS = planInsert({
  table: 'payments',
  columns: COLUMNS,
  ending: 'on conflict (account_id, reference) do nothing returning id',
})

interface PaymentOffer {
  readonly payment: Payment
  readonly event: AuditEvent
}

/** Records all, or none when a reference is taken with another amount; then what is given back shows it. */
export async function recordPaymentsOrNone(
  changes: ChangeBook,
  offers: readonly PaymentOffer[],
): Promise<readonly Recorded<Payment>[]> {
  const conflict = new Error('A reference was recorded before with another amount.')
  let recorded: readonly Recorded<Payment>[] = []
  try {
    await changes.writeIf(async (tx) => {
      recorded = await recordPayments(
        tx,
        offers.map(({ payment }) => payment),
      )
      for (const [index, { payment, event }] of offers.entries()) {
        if (recorded[index]?.record.amountNano !== payment.amountNano) throw conflict
        if (recorded[index]?.isNew) await writeAuditEvent(tx, event)
      }
      return { result: undefined, isChange: recorded.some(({ isNew }) => isNew) }
    })
  } catch (error) {
    if (error !== conflict) throw error
  }
  return recorded
}

/** Records those whose reference is not taken, and gives for each payment what is recorded under its reference. */
async function recordPayments(
  tx: Database,
  payments: readonly Payment[],
): Promise<readonly Recorded<Payment>[]> {
  const rows = await insertRows<{ id: string }>(tx, INSERT_PAYMENTS, orderByReference(payments).map(encode))
  const newIds = new Set(rows.map(({ id }) => id))
  const recorded: Recorded<Payment>[] = []
  for (const payment of payments) {
    const isNew = newIds.has(payment.id)
    recorded.push({ record: isNew ? payment : await findPayment(tx, payment), isNew })
  }
  const fresh = recorded.filter(({ isNew }) => isNew)
  await enterInLedger(
    tx,
    fresh.map(({ record }) => ledgerEntryOf(record)),
  )
  return recorded
}

/**
 * Two transactions that record the same references meet them in the same order and cannot wait for each other. Of
 * equal references the first given stays first, so that it is the one that is recorded.
 */
function orderByReference(payments: readonly Payment[]): readonly Payment[] {
  const place = ({ accountId, reference }: Payment) => JSON.stringify([accountId, reference])
  const placed = payments.map((payment) => ({ payment, at: place(payment) }))
  return placed
    .sort((left, right) => (left.at < right.at ? -1 : Number(left.at > right.at)))
    .map(({ payment }) => payment)
}

function encode({ id, accountId, reference, amountNano, note, atMs }: Payment): Parameter[] {
  return [id, accountId, reference, amountNano, note, BigInt(atMs)]
}

function ledgerEntryOf({ id, accountId, reference, amountNano, note, atMs }: Payment): LedgerEntry {
  return { kind: 'payment', id, accountId, amountNano, requestId: null, reference, note, atMs }
}

/** An account's payments, newest first. */
export async function listPayments(
  database: Database,
  accountId: string,
  page: Page,
): Promise<Listing<Payment>> {
  const parameters: Parameter[] = [accountId]
  let rest = ''
  if (page.cursor !== null) {
    const { atMs, id } = decodeCursor(page.cursor)
    parameters.push(BigInt(atMs), id)
    rest = 'and (at_ms, id) < ($2, $3)'
  }
  parameters.push(BigInt(page.limit + 1))
  const rows = await database.rows<PaymentRow>(
    `${SELECT_PAYMENTS} where account_id = $1 ${rest}
    order by at_ms desc, id desc limit $${parameters.length}`,
    parameters,
  )
  return pageOf(rows.map(decode), page, ({ atMs, id }) => ({ atMs, id }))
}

async function findPayment(tx: Database, { accountId, reference }: Payment): Promise<Payment> {
  const [row] = await tx.rows<PaymentRow>(`${SELECT_PAYMENTS} where account_id = $1 and reference = $2`, [
    accountId,
    reference,
  ])
  if (row === undefined) throw new Error(`The payment ${reference} was there and is gone.`)
  return decode(row)
}

function decode(row: PaymentRow): Payment {
  return {
    id: row.id,
    accountId: row.account_id,
    amountNano: row.amount_nano,
    reference: row.reference,
    note: row.note,
    atMs: Number(row.at_ms),
  }
}
