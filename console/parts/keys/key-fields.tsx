import { NumberInput, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useModels } from '../../api/models.ts'
import { useOverview } from '../../api/overview.ts'
import { formatNumber } from '../format.ts'
import { rangeOf } from '../range-picker.tsx'
import { ExpiryField } from './expiry-field.tsx'
import type { KeyFormValues } from './key-form-values.ts'
import { BudgetFields, LimitFields } from './money-fields.tsx'
import { ModelFields, RouteFields } from './route-fields.tsx'

export type KeyForm = UseFormReturnType<KeyFormValues>

export interface KeyFieldsProps {
  readonly form: KeyForm
  readonly account: string
}

/** Every control of a key, each with what it does. */
export function KeyFields({ form, account }: KeyFieldsProps) {
  const models = useModels(account).data?.data ?? []
  return (
    <Stack gap="xl">
      <TextInput
        label="Name"
        description="What uses this key, so that you recognise it later: “CI”, “Claude Code on my laptop”."
        placeholder="CI"
        data-autofocus
        maxLength={200}
        {...form.getInputProps('name')}
      />
      <LimitFields form={form} />
      <BudgetFields form={form} />
      <ModelFields form={form} models={models} />
      <RouteFields form={form} models={models} />
      <RateFields form={form} account={account} />
      <ExpiryField form={form} />
      <Switch
        label="Use shared suppliers when your own fail"
        description="Only matters for models you bring your own credential for. Off: a request fails rather than cost money here. On: it goes to a shared supplier, at that supplier's price."
        {...form.getInputProps('sharedFallback', { type: 'checkbox' })}
      />
    </Stack>
  )
}

function RateFields({ form, account }: KeyFieldsProps) {
  const limits = useOverview(account, rangeOf('24h')).data?.account.limits
  return (
    <fieldset className="key-part">
      <legend>Requests and tokens a minute</legend>
      <p className="key-part-words">
        Keeps one program from using up what all keys of the account share. What is over is refused with 429
        and works again within a minute. Empty means: as the account.
      </p>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput
          label="Requests (RPM)"
          placeholder={placeholderOf(limits?.rpm)}
          min={1}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          hideControls
          {...form.getInputProps('rpm')}
        />
        <NumberInput
          label="Tokens (TPM)"
          placeholder={placeholderOf(limits?.tpm)}
          min={1}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          hideControls
          {...form.getInputProps('tpm')}
        />
      </SimpleGrid>
    </fieldset>
  )
}

function placeholderOf(limit: number | null | undefined): string {
  return typeof limit === 'number' ? `at most ${formatNumber(limit)}` : 'no limit'
}
