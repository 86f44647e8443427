import { amount, choice, id, integer, text, time } from './field.ts'
import { type Sent, shape, type Value } from './shape.ts'

const AMOUNT = 'A decimal string with at most 9 decimals.'

/** Fields of every payment, refund and adjustment. */
const Movement = shape('Movement', {
  id: id('pay'),
  accountId: id('acc'),
  amountNano: amount().note(AMOUNT),
  reference: text().note('A reference that is sent twice counts as one payment.').example('invoice-1'),
  atMs: time().as('created_at'),
})

export const Payment = Movement.with('Payment', {
  note: text(2_000, { min: 0 }).nullable().default(null).example('March'),
})
export type Payment = Value<typeof Payment>

/** A payment as it is printed. */
export const Receipt = Payment.with('Receipt', {
  accountName: text().example('Acme'),
  accountEmail: text().nullable().example('billing@acme.example'),
  sellerText: text(2_000)
    .nullable()
    .note('The text of `TURNPIKE_RECEIPT_TEXT`.')
    .example('Example Ltd, 1 High Street'),
})
export type Receipt = Value<typeof Receipt>

export const PaymentCreate = Payment.pick('PaymentCreate', ['amountNano', 'reference', 'note']).draft
export type PaymentCreate = ReturnType<(typeof PaymentCreate)['read']>

/** A payment reported by a payment processor. */
export const PaymentEvent = Payment.pick('PaymentEvent', [
  'accountId',
  'amountNano',
  'reference',
  'note',
]).draft

/** A payment in a line of a file, unchecked. */
export interface PaymentLine extends Pick<Payment, 'accountId' | 'reference' | 'note'> {
  readonly line: number
  readonly amount: Sent<typeof PaymentEvent>['amount']
}

/** Enough for ten thousand long lines. */
const LARGEST_CSV = 10_000_000

export const PaymentImportCreate = shape('PaymentImportCreate', {
  csv: text(LARGEST_CSV, { min: 0 })
    .note(
      'The text of a CSV file: first the columns `account_id`, `amount`, `reference` and optionally `note`; then one payment per line, at most 10,000.',
    )
    .example('account_id,amount,reference\nacc_1,10,invoice-1\n'),
}).draft

export const PaymentImport = shape('PaymentImport', {
  recorded: integer(),
  alreadyRecorded: integer().note('Lines whose reference was recorded before with the same amount.'),
  totalNano: amount().note('The total of the newly recorded payments.'),
})
export type PaymentImport = Value<typeof PaymentImport>

const reason = text(2_000).example('asked for')

/** A refund. It lowers the balance and leaves the total paid unchanged. */
export const Refund = Movement.with('Refund', {
  id: id('ref'),
  amountNano: amount().note(`${AMOUNT} Above zero.`),
  reference: text().note('A reference that is sent twice counts as one refund.').example('refund-1'),
  reason,
})
export type Refund = Value<typeof Refund>

export const RefundCreate = Refund.pick('RefundCreate', ['amountNano', 'reference', 'reason']).draft
export type RefundCreate = ReturnType<(typeof RefundCreate)['read']>

/** A correction of the balance. It leaves the total paid unchanged. */
export const Adjustment = Movement.with('Adjustment', {
  id: id('adj'),
  amountNano: amount().note(`${AMOUNT} May be negative.`).example('-2.5'),
  reference: text()
    .omittable()
    .note('A reference that is sent twice counts as one adjustment. Without a reference, every call counts.')
    .example('ticket-1'),
  reason: reason.example('duplicate credit'),
})
export type Adjustment = Value<typeof Adjustment>

export const AdjustmentCreate = Adjustment.pick('AdjustmentCreate', [
  'amountNano',
  'reference',
  'reason',
]).draft
export type AdjustmentCreate = ReturnType<(typeof AdjustmentCreate)['read']>

/** One change of a balance. */
export const LedgerEntry = shape('LedgerEntry', {
  kind: choice(['payment', 'settlement', 'refund', 'adjustment']),
  id: id('pay').note('Unique within its kind.'),
  accountId: id('acc'),
  amountNano: amount(),
  requestId: id('req').nullable(),
  reference: text().nullable().example('invoice-1'),
  note: text().nullable().example('March'),
  atMs: time().as('created_at'),
})
export type LedgerEntry = Value<typeof LedgerEntry>

/** `fromMs` is inclusive and `toMs` exclusive, so that adjacent ranges share no entry. */
export const LedgerFilter = shape('LedgerFilter', {
  accountId: id('acc').note('Only this account id.'),
  fromMs: time().note('Entered at this RFC 3339 time or later.'),
  toMs: time().note('Entered before this RFC 3339 time.'),
})
export type LedgerFilter = Partial<Value<typeof LedgerFilter>>

const Checked = shape('Checked', {
  accounts: integer(),
  payments: integer(),
  refunds: integer(),
  settlements: integer(),
  days: integer(),
  journaled: integer(),
})

/** What was compared, and the first difference. */
export const LedgerVerification = shape('LedgerVerification', {
  difference: text().nullable().note('The first difference; null when everything agrees.'),
  checked: Checked.field,
  waiting: integer().note(
    'Settlements that are only in the journal. They reach the database when the gateway starts.',
  ),
})
export type LedgerVerification = Value<typeof LedgerVerification>
