import { Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import type { Account } from '../../api/wire.ts'
import { sameNames } from '../../parts/forms/form-drawer.tsx'
import { ReviewDrawer } from '../../parts/forms/review-drawer.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { readNano, writeNano } from '../../parts/text/exact-amount.ts'
import { formatMoney } from '../../parts/text/format.ts'
import { makeReference } from './make-reference.ts'

/** The ways an operator changes a balance manually. */
export const MONEY_KINDS = {
  payment: {
    title: 'Record a payment',
    noun: 'A payment',
    submit: 'Record payment',
    path: '/payments',
    done: 'The payment was recorded.',
    explains:
      'Raises the balance and the total paid, which determines the tier. A reference is recorded only once.',
    mayBeNegative: false,
    reference: 'asked',
    text: { name: 'note', label: 'Note', isRequired: false },
  },
  refund: {
    title: 'Record a refund',
    noun: 'A refund',
    submit: 'Record refund',
    path: '/refunds',
    done: 'The refund was recorded.',
    explains: 'Lowers the balance, but not the total paid. A reference is recorded only once.',
    mayBeNegative: false,
    reference: 'asked',
    text: { name: 'reason', label: 'Reason', isRequired: true },
  },
  adjustment: {
    title: 'Adjust the balance',
    noun: 'An adjustment',
    submit: 'Adjust',
    path: '/adjustments',
    done: 'The balance was adjusted.',
    explains:
      'Corrects the balance up or down. It does not count as a payment. You cannot undo it, but you can make the opposite adjustment.',
    mayBeNegative: true,
    // An adjustment has no external reference, so the form creates one.
    reference: 'made',
    text: { name: 'reason', label: 'Reason', isRequired: true },
  },
} as const

export type MoneyKind = keyof typeof MONEY_KINDS

export function isMoneyKind(text: string): text is MoneyKind {
  return text in MONEY_KINDS
}

interface Values {
  readonly amount: string
  readonly reference: string
  readonly text: string
}

interface MoneyFormProps {
  readonly account: Account
  readonly kind: MoneyKind
  readonly onClose: () => void
}

export function MoneyForm({ account, kind, onClose }: MoneyFormProps) {
  const { title, noun, submit, done, explains, text, mayBeNegative } = MONEY_KINDS[kind]
  const asksReference = MONEY_KINDS[kind].reference === 'asked'
  // One reference per open form, so that a retry after a lost response is idempotent.
  const [madeReference] = useState(makeReference)
  return (
    <ReviewDrawer<Values, unknown>
      title={title}
      labels={{ review: 'Review', save: submit }}
      onClose={onClose}
      isNew={false}
      // A wrong sign or digit is easier to see in the balance that it leads to.
      bodyOf={({ amount }) => balancesAfter(account, kind, amount)}
      note={({ amount, reference }) => (
        <>
          {noun} of {formatMoney(amount)} {CURRENCY} for {account.name}
          {reference.trim() === '' ? '' : `, reference ${reference.trim()}`}. It cannot be deleted later.
        </>
      )}
      initialValues={{ amount: '', reference: '', text: '' }}
      validate={{
        amount: (amount) => checkAmount(amount, mayBeNegative),
        reference: (reference) =>
          asksReference && reference.trim() === '' ? 'Enter a reference, such as the invoice number' : null,
        text: (value) => (text.isRequired && value.trim() === '' ? 'Enter a reason for the ledger' : null),
      }}
      send={(values) =>
        record(account.id, kind, asksReference ? values : { ...values, reference: madeReference })
      }
      fields={asksReference ? sameNames('amount', 'reference') : sameNames('amount')}
      done={done}
      refreshes={[ACCOUNTS_KEY]}
    >
      {(field) => (
        <>
          <Text size="sm" c="dimmed">
            {explains}
          </Text>
          <TextInput
            label={`Amount, ${CURRENCY}`}
            description={mayBeNegative ? 'Use a minus sign to lower the balance.' : undefined}
            inputMode="decimal"
            required
            data-autofocus
            {...field('amount')}
          />
          {asksReference && (
            <TextInput
              label="Reference"
              description="The invoice or transfer number."
              required
              {...field('reference')}
            />
          )}
          <Textarea label={text.label} required={text.isRequired} autosize minRows={2} {...field('text')} />
        </>
      )}
    </ReviewDrawer>
  )
}

function record(account: string, kind: MoneyKind, { amount, reference, text }: Values): Promise<unknown> {
  const { path, text: field } = MONEY_KINDS[kind]
  const words = text.trim()
  return api.post(accountCall(account, path), {
    amount: amount.trim(),
    reference: reference.trim(),
    ...(words !== '' && { [field.name]: words }),
  })
}

function checkAmount(amount: string, mayBeNegative: boolean): string | null {
  const nano = readNano(amount)
  if (nano === null) return 'Enter an amount such as 12.5, with at most nine decimals'
  if (nano === 0n) return 'Enter an amount other than zero'
  return nano < 0n && !mayBeNegative ? 'Enter an amount above zero' : null
}

/** What the account has after the change. */
function balancesAfter(account: Account, kind: MoneyKind, amount: string): object {
  const change = readNano(amount) ?? 0n
  const add = (text: string, nano: bigint) => formatMoney(writeNano((readNano(text) ?? 0n) + nano))
  return {
    [`Balance, ${CURRENCY}`]: add(account.balance, kind === 'refund' ? -change : change),
    [`Total paid, ${CURRENCY}`]: add(account.total_paid, kind === 'payment' ? change : 0n),
  }
}
