import { Checkbox, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { AccountChange } from '../../../src/vocabulary/account.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import type { Account } from '../../api/wire.ts'
import { readNano } from '../../parts/exact-amount.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { useFormAction } from '../../parts/use-form-action.ts'

interface EditAccountProps {
  readonly account: Account
  readonly onClose: () => void
}

export function EditAccount({ account, onClose }: EditAccountProps) {
  const form = useForm({
    initialValues: {
      name: account.name,
      credit_line: account.credit_line ?? '0',
      is_unlimited: account.credit_line === null,
      balance_alert: account.balance_alert ?? '',
    },
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter a name' : null),
      credit_line: (text, { is_unlimited }) => (is_unlimited || isAmount(text) ? null : AMOUNT),
      balance_alert: (text) => (text.trim() === '' || isAmount(text) ? null : AMOUNT),
    },
  })
  const save = useFormAction(
    form,
    (values) =>
      api.patch(accountCall(account.id), {
        name: values.name.trim(),
        credit_line: values.is_unlimited ? null : values.credit_line.trim(),
        balance_alert: values.balance_alert.trim() || null,
      } satisfies Sent<typeof AccountChange>),
    {
      done: 'The account was changed.',
      refreshes: [ACCOUNTS_KEY],
      onDone: onClose,
    },
  )
  return (
    <FormDrawer title="Edit the account" onClose={onClose} submitLabel="Save" {...save.drawer}>
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
      <TextInput
        label="Credit line, USDT"
        description="How far below zero the balance may go before requests are refused."
        inputMode="decimal"
        disabled={form.values.is_unlimited}
        {...form.getInputProps('credit_line')}
      />
      <Checkbox label="Unlimited credit" {...form.getInputProps('is_unlimited', { type: 'checkbox' })} />
      <TextInput
        label="Alert below, USDT"
        description="A balance below this is an alert. Empty: no alert."
        inputMode="decimal"
        {...form.getInputProps('balance_alert')}
      />
    </FormDrawer>
  )
}

const AMOUNT = 'Enter an amount such as 12.5'

function isAmount(text: string): boolean {
  const nano = readNano(text)
  return nano !== null && nano >= 0n
}
