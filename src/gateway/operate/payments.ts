import { withAccount } from '../../rules/catalog/build-snapshot.ts'
import type {
  Adjustment,
  AdjustmentCreate,
  Payment,
  PaymentCreate,
  Refund,
  RefundCreate,
} from '../../vocabulary/ledger.ts'
import { formatUsdt } from '../../vocabulary/money.ts'
import type { Operations } from '../ports/operations.ts'
import type { Change, ChangeDesk } from './change-desk.ts'
import { checkPayment, checkReference, requireRoomInBalance, requireRoomToPay } from './check-payment.ts'
import { describePayment, importPayments } from './import-payments.ts'
import { refuse, requireAccount, requirePositive, requireSane, requireText } from './refuse.ts'

type PaymentOperations = Pick<
  Operations,
  'recordPayment' | 'recordAdjustment' | 'recordRefund' | 'importPayments' | 'listPayments' | 'listLedger'
>

export function paymentOperations({ parts, makeChange }: ChangeDesk): PaymentOperations {
  const { storage, configuration } = parts
  return {
    recordPayment: (id, input, actor) => makeChange(actor, (change) => recordPayment(change, id, input)),
    recordAdjustment: (id, input, actor) =>
      makeChange(actor, (change) => recordAdjustment(change, id, input)),
    recordRefund: (id, input, actor) => makeChange(actor, (change) => recordRefund(change, id, input)),
    importPayments: (lines, actor) => makeChange(actor, (change) => importPayments(change, lines)),
    listPayments: async (id, page) =>
      storage.listPayments(requireAccount(configuration.current(), id).id, page),
    listLedger: async (id, page) => {
      const account = requireAccount(configuration.current(), id)
      // What requests have cost stands in the ledger once the journal is emptied into it.
      await parts.catchUp()
      return storage.listLedger(account.id, page)
    },
  }
}

async function recordPayment(change: Change, accountId: string, input: PaymentCreate): Promise<Payment> {
  const { parts } = change
  checkPayment(change.snapshot, accountId, input)
  await requireRoomToPay(parts, accountId, input.amountNano)
  const account = requireAccount(change.snapshot, accountId)
  const offered: Payment = { ...input, id: parts.random.id('pay'), accountId, atMs: change.nowMs }
  const { payment, isNew } = await parts.storage.recordPayment(
    offered,
    change.audit('payment.recorded', accountId, describePayment(offered, account.totalPaidNano)),
  )
  if (isNew) {
    const totalPaidNano = account.totalPaidNano + payment.amountNano
    change.publish((snapshot) => withAccount(snapshot, { ...account, totalPaidNano }))
    await parts.money.credit(accountId, payment.amountNano)
  } else {
    requireSameAmount(payment, input)
  }
  return payment
}

type Referenced = Pick<Adjustment, 'amountNano' | 'reference'>

/** The same reference with another amount is not the same thing twice: one of the two is a mistake. */
function requireSameAmount(recorded: Referenced, offered: Referenced): void {
  if (recorded.amountNano === offered.amountNano) return
  refuse('amount', `Reference "${offered.reference}" was recorded before with another amount.`)
}

async function recordAdjustment(
  change: Change,
  accountId: string,
  input: AdjustmentCreate,
): Promise<Adjustment> {
  requireAccount(change.snapshot, accountId)
  if (input.amountNano === 0n) refuse('amount', 'amount must not be zero.')
  requireSane(input.amountNano, 'amount')
  if (input.reference !== null) checkReference(input.reference)
  requireText(input.reason, 'reason')
  const { storage, money, random } = change.parts
  await requireRoomInBalance(change.parts, accountId, input.amountNano)
  const offered: Adjustment = { ...input, id: random.id('adj'), accountId, atMs: change.nowMs }
  const { record, isNew } = await storage.recordAdjustment(
    offered,
    change.audit('adjustment.recorded', accountId, describe('adjustment', offered)),
  )
  if (isNew) await money.credit(accountId, record.amountNano)
  else requireSameAmount(record, offered)
  return record
}

/** For the audit. */
function describe(kind: string, { id, amountNano, reference, reason }: Adjustment | Refund) {
  return { before: null, after: { [kind]: id, amount: formatUsdt(amountNano), reference, reason } }
}

async function recordRefund(change: Change, accountId: string, input: RefundCreate): Promise<Refund> {
  const { storage, money, random } = change.parts
  requireAccount(change.snapshot, accountId)
  requirePositive(input.amountNano, 'amount')
  requireSane(input.amountNano, 'amount')
  await requireRoomInBalance(change.parts, accountId, -input.amountNano)
  checkReference(input.reference)
  requireText(input.reason, 'reason')
  const offered: Refund = { ...input, id: random.id('ref'), accountId, atMs: change.nowMs }
  const { record, isNew } = await storage.recordRefund(
    offered,
    change.audit('refund.recorded', accountId, describe('refund', offered)),
  )
  if (isNew) await money.credit(accountId, -record.amountNano)
  else requireSameAmount(record, offered)
  return record
}
