import { Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import type { Account } from '../../api/wire.ts'
import { readNano, writeNano } from '../../parts/exact-amount.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { formatMoney } from '../../parts/format.ts'
import { useFormAction } from '../../parts/use-form-action.ts'
import { makeReference } from './make-reference.ts'
import { MONEY_KINDS, type MoneyKind } from './money-kinds.ts'

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
  const { title, submit, done, explains, text, mayBeNegative } = MONEY_KINDS[kind]
  const asksReference = MONEY_KINDS[kind].reference === 'asked'
  // One for as long as the form is open: sent again because its answer was lost, it is the same thing again.
  const [madeReference] = useState(makeReference)
  const form = useForm<Values>({
    initialValues: { amount: '', reference: '', text: '' },
    validate: {
      amount: (amount) => checkAmount(amount, mayBeNegative),
      reference: (reference) =>
        asksReference && reference.trim() === ''
          ? 'Enter what names it elsewhere, such as the invoice'
          : null,
      text: (value) => (text.isRequired && value.trim() === '' ? 'Say why; it is kept in the ledger' : null),
    },
  })
  const send = (values: Values) =>
    record(account.id, kind, asksReference ? values : { ...values, reference: madeReference })
  const action = useFormAction(form, send, {
    fields: asksReference ? ['amount', 'reference'] : ['amount'],
    done,
    refreshes: [ACCOUNTS_KEY],
    onDone: onClose,
  })
  return (
    <FormDrawer title={title} onClose={onClose} submitLabel={submit} {...action.drawer}>
      <Text size="sm" c="dimmed">
        {explains}
      </Text>
      <TextInput
        label="Amount, USDT"
        description={mayBeNegative ? 'With a minus sign it lowers the balance.' : undefined}
        inputMode="decimal"
        required
        data-autofocus
        {...form.getInputProps('amount')}
      />
      {asksReference && (
        <TextInput
          label="Reference"
          description="The number of the invoice or transfer."
          required
          {...form.getInputProps('reference')}
        />
      )}
      <Textarea
        label={text.label}
        required={text.isRequired}
        autosize
        minRows={2}
        {...form.getInputProps('text')}
      />
      <BalanceAfter account={account} kind={kind} amount={form.values.amount} />
    </FormDrawer>
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

/** What the balance will be, so that a wrong sign or digit is seen before it is recorded. */
function BalanceAfter({
  account,
  kind,
  amount,
}: Pick<MoneyFormProps, 'account' | 'kind'> & { amount: string }) {
  const change = readNano(amount)
  const balance = readNano(account.balance)
  if (change === null || balance === null) return null
  const after = writeNano(balance + (kind === 'refund' ? -change : change))
  return (
    <Text size="sm" aria-live="polite">
      Balance: {formatMoney(account.balance)} → <strong>{formatMoney(after)}</strong> USDT
    </Text>
  )
}
