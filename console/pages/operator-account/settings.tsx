import { Button, Checkbox, TextInput } from '@mantine/core'
import type { AccountChange } from '../../../src/vocabulary/account.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import type { Account } from '../../api/wire.ts'
import { type Closable, FormDrawer } from '../../parts/forms/form-drawer.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { readNano } from '../../parts/text/exact-amount.ts'
import { Money } from '../../parts/text/money.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

interface SettingsProps {
  readonly account: Account
  readonly onEdit: () => void
}

export function Settings({ account, onEdit }: SettingsProps) {
  const { credit_line: credit, balance_alert: alert } = account
  return (
    <Panel
      title="Settings"
      actions={
        <Button variant="default" size="sm" onClick={onEdit}>
          Edit
        </Button>
      }
      facts={[
        { label: 'Credit line', value: credit === null ? 'Unlimited' : <Money amount={credit} /> },
        { label: 'Low-balance alert', value: alert === null ? 'No alert' : <Money amount={alert} /> },
        { label: 'E-mail', value: account.email ?? 'None' },
        { label: 'Created', value: <TimeStamp at={account.created_at} /> },
      ]}
    />
  )
}

export function EditAccount({ account, onClose }: Closable & { readonly account: Account }) {
  return (
    <FormDrawer
      title="Edit the account"
      submitLabel="Save"
      onClose={onClose}
      initialValues={{
        name: account.name,
        credit_line: account.credit_line ?? '0',
        is_unlimited: account.credit_line === null,
        balance_alert: account.balance_alert ?? '',
      }}
      validate={{
        name: (name) => (name.trim() === '' ? 'Enter a name' : null),
        credit_line: (text, { is_unlimited }) => (is_unlimited || isAmount(text) ? null : AMOUNT),
        balance_alert: (text) => (text.trim() === '' || isAmount(text) ? null : AMOUNT),
      }}
      send={(values) =>
        api.patch(accountCall(account.id), {
          name: values.name.trim(),
          credit_line: values.is_unlimited ? null : values.credit_line.trim(),
          balance_alert: values.balance_alert.trim() || null,
        } satisfies Sent<typeof AccountChange>)
      }
      done="The account was changed."
      refreshes={[ACCOUNTS_KEY]}
    >
      {(field, { values }) => (
        <>
          <TextInput label="Name" required data-autofocus {...field('name')} />
          <TextInput
            label={`Credit line, ${CURRENCY}`}
            description="How far below zero the balance can go before requests are refused."
            inputMode="decimal"
            disabled={values.is_unlimited}
            {...field('credit_line')}
          />
          <Checkbox label="Unlimited credit" {...field('is_unlimited', { type: 'checkbox' })} />
          <TextInput
            label={`Low-balance alert, ${CURRENCY}`}
            description="Raises an alert when the balance falls below this. Leave empty for no alert."
            inputMode="decimal"
            {...field('balance_alert')}
          />
        </>
      )}
    </FormDrawer>
  )
}

const AMOUNT = 'Enter an amount such as 12.5'

function isAmount(text: string): boolean {
  const nano = readNano(text)
  return nano !== null && nano >= 0n
}
