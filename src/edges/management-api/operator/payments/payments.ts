import type { Operations } from '../../../../manage/ports/operations.ts'
import {
  Adjustment,
  AdjustmentCreate,
  LedgerEntry,
  Payment,
  PaymentCreate,
  PaymentImport,
  PaymentImportCreate,
  Refund,
  RefundCreate,
} from '../../../../vocabulary/ledger.ts'
import { definer, listOf, one } from '../../endpoint.ts'

const define = definer<Operations>()
const common = { tag: 'Accounts', access: 'operator' } as const

export const paymentEndpoints = [
  define({
    ...common,
    method: 'POST',
    path: '/accounts/:id/payments',
    id: 'recordPayment',
    summary: 'Record a payment',
    description: 'Raises the balance and the total paid.',
    body: PaymentCreate,
    answer: one(Payment),
    handle: (operations, { params, body, actor }) => operations.recordPayment(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/payments/import',
    id: 'importPayments',
    summary: 'Record a file of payments',
    description:
      'Records all lines or none. A line that was recorded before with the same amount is accepted.',
    body: PaymentImportCreate,
    answer: one(PaymentImport),
    handle: async (operations, { body, actor }) => {
      const { readPaymentFile } = await import('./read-payment-file.ts')
      return operations.importPayments(readPaymentFile(body.csv), actor)
    },
  }),
  define({
    ...common,
    method: 'POST',
    path: '/accounts/:id/refunds',
    id: 'recordRefund',
    summary: 'Record a refund',
    description: 'Lowers the balance; the total paid stays unchanged.',
    body: RefundCreate,
    answer: one(Refund),
    handle: (operations, { params, body, actor }) => operations.recordRefund(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'POST',
    path: '/accounts/:id/adjustments',
    id: 'recordAdjustment',
    summary: 'Correct the balance',
    description: 'Changes the balance by a signed amount; the total paid stays unchanged.',
    body: AdjustmentCreate,
    answer: one(Adjustment),
    handle: (operations, { params, body, actor }) => operations.recordAdjustment(params.id, body, actor),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/accounts/:id/payments',
    id: 'listPayments',
    summary: 'List payments, newest first',
    answer: listOf(Payment),
    handle: (operations, { params, page }) => operations.listPayments(params.id, page),
  }),
  define({
    ...common,
    method: 'GET',
    path: '/accounts/:id/ledger',
    id: 'listLedger',
    summary: 'List ledger entries',
    description: 'Newest first. The balance is the sum of all entries.',
    answer: listOf(LedgerEntry),
    handle: (operations, { params, page }) => operations.listLedger(params.id, page),
  }),
]
