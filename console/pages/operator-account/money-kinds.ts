/** The ways an operator moves a balance by hand. */
export const MONEY_KINDS = {
  payment: {
    title: 'Record a payment',
    submit: 'Record payment',
    path: '/payments',
    done: 'The payment was recorded.',
    explains:
      'Raises the balance and the total paid, which earns tiers. The same reference twice is one payment.',
    mayBeNegative: false,
    reference: 'asked',
    text: { name: 'note', label: 'Note', isRequired: false },
  },
  refund: {
    title: 'Record a refund',
    submit: 'Record refund',
    path: '/refunds',
    done: 'The refund was recorded.',
    explains: 'Lowers the balance, not the total paid. The same reference twice is one refund.',
    mayBeNegative: false,
    reference: 'asked',
    text: { name: 'reason', label: 'Reason', isRequired: true },
  },
  adjustment: {
    title: 'Adjust the balance',
    submit: 'Adjust',
    path: '/adjustments',
    done: 'The balance was adjusted.',
    explains:
      'Corrects the balance up or down. It does not count as paid, and it cannot be taken back, only countered.',
    mayBeNegative: true,
    // Nothing names it elsewhere, so there is nothing to ask for.
    reference: 'made',
    text: { name: 'reason', label: 'Reason', isRequired: true },
  },
} as const

export type MoneyKind = keyof typeof MONEY_KINDS

export function isMoneyKind(text: string): text is MoneyKind {
  return text in MONEY_KINDS
}
