import { amount, choice, id, integer, text, time } from './field.ts'
import { type Sent, shape, type Value } from './shape.ts'

const AMOUNT = 'USDT as a decimal string with at most 9 decimals.'

/** What every movement of a balance has that somebody asks for. */
const Movement = shape('Movement', {
  id: id('pay'),
  accountId: id('acc'),
  amountNano: amount().note(AMOUNT),
  reference: text().note('The same reference twice is one payment.').example('invoice-1'),
  atMs: time().as('created_at'),
})

export const Payment = Movement.with('Payment', {
  note: text(2_000, { min: 0 }).nullable().default(null).example('March'),
})
export type Payment = Value<typeof Payment>

export const PaymentCreate = Payment.pick('PaymentCreate', ['amountNano', 'reference', 'note']).draft
export type PaymentCreate = ReturnType<(typeof PaymentCreate)['read']>

/** A payment as a payment processor reports it. */
export const PaymentEvent = Payment.pick('PaymentEvent', [
  'accountId',
  'amountNano',
  'reference',
  'note',
]).draft

/** A payment as a line of a file says it, unchecked. */
export interface PaymentLine extends Pick<Payment, 'accountId' | 'reference' | 'note'> {
  readonly line: number
  readonly amount: Sent<typeof PaymentEvent>['amount']
}

/** Ten thousand long lines, and more than anybody's reports. */
const LARGEST_CSV = 10_000_000

export const PaymentImportCreate = shape('PaymentImportCreate', {
  csv: text(LARGEST_CSV, { min: 0 })
    .note(
      'The text of a CSV file: first the names `account_id`, `amount`, `reference` and, if wanted, `note`; then a payment on each line, at most 10,000.',
    )
    .example('account_id,amount,reference\nacc_1,10,invoice-1\n'),
}).draft

export const PaymentImport = shape('PaymentImport', {
  recorded: integer(),
  alreadyRecorded: integer().note('Lines whose reference was recorded before with the same amount.'),
  totalNano: amount().note('What was recorded now.'),
})
export type PaymentImport = Value<typeof PaymentImport>

const reason = text(2_000).example('asked for')

/** Money given back: it lowers the balance and leaves the total paid as it is. */
export const Refund = Movement.with('Refund', {
  id: id('ref'),
  amountNano: amount().note(`${AMOUNT} Above zero.`),
  reference: text().note('The same reference twice is one refund.').example('refund-1'),
  reason,
})
export type Refund = Value<typeof Refund>

export const RefundCreate = Refund.pick('RefundCreate', ['amountNano', 'reference', 'reason']).draft
export type RefundCreate = ReturnType<(typeof RefundCreate)['read']>

/** A correction of the balance, which leaves the total paid as it is. */
export const Adjustment = Movement.with('Adjustment', {
  id: id('adj'),
  amountNano: amount().note(`${AMOUNT} May be negative.`).example('-2.5'),
  reference: text()
    .omittable()
    .note('The same reference twice is one adjustment; without one, every call is another.')
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

/** One movement of a balance. */
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

/** `fromMs` is part of the wanted time, `toMs` is not, so that adjoining times share no entry. */
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

/** What was compared, and the first thing that does not agree. */
export const LedgerVerification = shape('LedgerVerification', {
  difference: text().nullable().note('The first thing that does not agree; null when everything does.'),
  checked: Checked.field,
  waiting: integer().note(
    'How many settlements are in the journal only and will reach the database when the gateway starts.',
  ),
})
export type LedgerVerification = Value<typeof LedgerVerification>
