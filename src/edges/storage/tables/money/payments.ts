import type { Recorded, Storage } from '../../../../manage/ports/storage.ts'
import { Adjustment, type LedgerEntry, Payment, Refund } from '../../../../vocabulary/ledger.ts'
import type { ConfigurationWriter } from '../../configuration-writer.ts'
import { readPage } from '../../cursor.ts'
import type { Database } from '../../engines/database.ts'
import { queryOn } from '../../query.ts'
import { insertRows, planInsert } from '../../statements.ts'
import type { StoreMethods } from '../../store.ts'
import { tableOf } from '../../table.ts'
import { writeAuditEvent } from '../supply/audit-events.ts'
import { enterAdjustmentOnce, enterInLedger } from './ledger.ts'

const PAYMENTS = tableOf('payments', Payment, { key: ['id'] })
const REFUNDS = tableOf('refunds', Refund, { key: ['id'] })

// Waits for another transaction that records the same reference, and then finds it taken.
const INSERT_PAYMENTS = planInsert({
  table: 'payments',
  columns: Payment.columns,
  ending: 'on conflict (account_id, reference) do nothing',
  returning: ['id'],
})

/** Payments, refunds and adjustments. Recording one again changes nothing and writes no audit event. */
export const paymentStore = {
  recordPayment: async ({ changes }, payment, event) => {
    const [recorded] = await recordPaymentsOrNone(changes, [{ payment, event }])
    if (recorded === undefined) throw new Error('The payment was not recorded.')
    return { payment: recorded.record, isNew: recorded.isNew }
  },
  recordPayments: ({ changes }, offers) => recordPaymentsOrNone(changes, offers),
  recordAdjustment: ({ changes }, adjustment, event) =>
    changes.writeIf(event, (tx) => recordAdjustment(tx, adjustment)),
  recordRefund: ({ changes }, refund, event) => changes.writeIf(event, (tx) => recordRefund(tx, refund)),
  findPayment: ({ database }, accountId, id) => PAYMENTS.find(database, { accountId, id }),
  listPayments: ({ database }, accountId, page) => {
    const query = queryOn(database).selectFrom('payments').select(Payment.columns)
    return readPage(query.where('account_id', '=', accountId), page, {
      decode: (row) => Payment.fromRow(row),
    })
  },
} satisfies Partial<StoreMethods>

/** Records all, or none when a reference is taken with another amount; the result shows which. */
export async function recordPaymentsOrNone(
  changes: ConfigurationWriter,
  offers: Parameters<Storage['recordPayments']>[0],
): Promise<readonly Recorded<Payment>[]> {
  const conflict = new Error('A reference was recorded before with another amount.')
  let recorded: readonly Recorded<Payment>[] = []
  try {
    await changes.writeIf(null, async (tx) => {
      recorded = await recordPayments(
        tx,
        offers.map(({ payment }) => payment),
      )
      for (const [index, { payment, event }] of offers.entries()) {
        if (recorded[index]?.record.amountNano !== payment.amountNano) throw conflict
        if (recorded[index]?.isNew) await writeAuditEvent(tx, event)
      }
      return recorded.some(({ isNew }) => isNew)
    })
  } catch (error) {
    if (error !== conflict) throw error
  }
  return recorded
}

/** Records payments with a new reference. Returns for each payment what is recorded under its reference. */
async function recordPayments(
  tx: Database,
  payments: readonly Payment[],
): Promise<readonly Recorded<Payment>[]> {
  const offered = orderByReference(payments).map((payment) => Object.values(Payment.toRow(payment)))
  const rows = await insertRows(tx, INSERT_PAYMENTS, offered)
  const newIds = new Set(rows.map(({ id }) => id))
  const recorded: Recorded<Payment>[] = []
  for (const payment of payments) {
    const isNew = newIds.has(payment.id)
    recorded.push({ record: isNew ? payment : await findRecorded(tx, PAYMENTS, payment), isNew })
  }
  const fresh = recorded.filter(({ isNew }) => isNew)
  await enterInLedger(
    tx,
    fresh.map(({ record }): LedgerEntry => ({ ...record, kind: 'payment', requestId: null })),
  )
  return recorded
}

/**
 * Sorted, so that two transactions with the same references cannot deadlock. Of equal references the first one stays first
 * and is the one that is recorded.
 */
function orderByReference(payments: readonly Payment[]): readonly Payment[] {
  const place = ({ accountId, reference }: Payment) => JSON.stringify([accountId, reference])
  const placed = payments.map((payment) => ({ payment, at: place(payment) }))
  return placed
    .sort((left, right) => (left.at < right.at ? -1 : Number(left.at > right.at)))
    .map(({ payment }) => payment)
}

type Movement = Pick<Payment, 'accountId' | 'reference'>

/** The payment that was recorded under a taken reference. */
async function findRecorded<Record extends Movement>(
  tx: Database,
  table: { find(tx: Database, where: Movement): Promise<Record | null> },
  { accountId, reference }: Movement,
): Promise<Record> {
  const found = await table.find(tx, { accountId, reference })
  if (found === null) throw new Error(`The record with reference ${reference} has disappeared.`)
  return found
}

export async function recordRefund(tx: Database, refund: Refund): Promise<Recorded<Refund>> {
  const isNew = await REFUNDS.insert(tx, refund, ['account_id', 'reference'])
  if (!isNew) return { record: await findRecorded(tx, REFUNDS, refund), isNew: false }
  const { amountNano, reason, ...entry } = refund
  await enterInLedger(tx, [
    { ...entry, kind: 'refund', amountNano: -amountNano, requestId: null, note: reason },
  ])
  return { record: refund, isNew: true }
}

/** An adjustment is stored only as its ledger entry. */
export async function recordAdjustment(tx: Database, adjustment: Adjustment): Promise<Recorded<Adjustment>> {
  const { reason, ...entry } = adjustment
  const isNew = await enterAdjustmentOnce(tx, { ...entry, kind: 'adjustment', requestId: null, note: reason })
  return { record: isNew ? adjustment : await findAdjustment(tx, adjustment), isNew }
}

async function findAdjustment(tx: Database, { accountId, reference }: Adjustment): Promise<Adjustment> {
  const row = await queryOn(tx)
    .selectFrom('posted_entries')
    .select(['id', 'account_id', 'amount_nano', 'reference', 'note', 'at_ms'])
    .where('kind', '=', 'adjustment')
    .where('account_id', '=', accountId)
    .where('reference', '=', reference)
    .executeTakeFirstOrThrow(() => new Error(`The adjustment with reference ${reference} has disappeared.`))
  return Adjustment.fromRow({ ...row, reason: row.note ?? '' })
}
