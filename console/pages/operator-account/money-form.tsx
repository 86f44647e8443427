import { Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator-lists.ts'
import type { OperatorAccount } from '../../api/operator-shapes.ts'
import { readNano, writeNano } from '../../parts/exact-amount.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { formatMoney } from '../../parts/format.ts'
import { useFormAction } from '../../parts/use-form-action.ts'
import { MONEY_KINDS, type MoneyKind } from './money-kinds.ts'

interface Values {
  readonly amount: string
  readonly reference: string
  readonly text: string
}

interface MoneyFormProps {
  readonly account: OperatorAccount
  readonly kind: MoneyKind
  readonly onClose: () => void
}

export function MoneyForm({ account, kind, onClose }: MoneyFormProps) {
  const { title, submit, done, explains, hasReference, text, mayBeNegative } = MONEY_KINDS[kind]
  const form = useForm<Values>({
    initialValues: { amount: '', reference: '', text: '' },
    validate: {
      amount: (amount) => checkAmount(amount, mayBeNegative),
      reference: (reference) =>
        hasReference && reference.trim() === '' ? 'Enter what names it elsewhere, such as the invoice' : null,
      text: (value) => (text.isRequired && value.trim() === '' ? 'Say why; it is kept in the ledger' : null),
    },
  })
  const record = useFormAction(form, (values: Values) => send(account.id, kind, values), {
    done,
    refreshes: [ACCOUNTS_KEY],
    onDone: onClose,
  })
  return (
    <FormDrawer title={title} onClose={onClose} submitLabel={submit} {...record.drawer}>
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
      {hasReference && (
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

function send(account: string, kind: MoneyKind, { amount, reference, text }: Values): Promise<unknown> {
  const { path, hasReference, text: field } = MONEY_KINDS[kind]
  const words = text.trim()
  return api.post(accountCall(account, path), {
    amount: amount.trim(),
    ...(hasReference && { reference: reference.trim() }),
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
