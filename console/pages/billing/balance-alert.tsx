import { Button, Group, Skeleton, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { accountPath, api } from '../../api/client.ts'
import { useOverview } from '../../api/overview.ts'
import { useMay } from '../../app/account.ts'
import { rangeOf } from '../../parts/charts/range-picker.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { readNano } from '../../parts/text/exact-amount.ts'
import { AlertList } from './lists.tsx'

interface OfAccount {
  readonly account: string
}

export function Alerts({ account }: OfAccount) {
  const mayManage = useMay('manage-alerts')
  return (
    <Stack gap="lg">
      {mayManage && <BalanceAlert account={account} />}
      <AlertList account={account} />
    </Stack>
  )
}

function BalanceAlert({ account }: OfAccount) {
  const { data, error, refetch } = useOverview(account, rangeOf('30d'))
  const amount = data?.account.balance_alert ?? ''
  return (
    <Panel
      title="Low balance"
      description="You are alerted once each time the balance falls below this: here, at the webhook, and by mail to owners and billing members if the gateway can send mail."
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {data === undefined && error === null && <Skeleton height={80} />}
      {data !== undefined && <AmountForm key={amount} account={account} amount={amount} />}
    </Panel>
  )
}

function AmountForm({ account, amount }: OfAccount & { readonly amount: string }) {
  const form = useForm({ initialValues: { amount }, validate: { amount: checkAmount } })
  const save = useAction(
    (text: string) => api.put(accountPath(account, '/balance-alert'), { balance_alert: text || null }),
    {
      done: 'The alert is set.',
      refreshes: [
        [account, 'overview'],
        [account, 'alerts'],
      ],
    },
  )
  return (
    <form onSubmit={form.onSubmit((values) => save.run(values.amount.trim()))} noValidate>
      <Stack maw={440}>
        <TextInput
          label={`Low-balance alert, ${CURRENCY}`}
          description="Leave empty for no alert."
          placeholder="10"
          inputMode="decimal"
          {...form.getInputProps('amount')}
        />
        <ErrorNotice error={save.error} />
        <Group>
          <Button type="submit" loading={save.isRunning} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function checkAmount(text: string): string | null {
  if (text.trim() === '') return null
  const nano = readNano(text)
  return nano !== null && nano >= 0n ? null : 'Enter an amount such as 12.5'
}
