import { Group, NativeSelect, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import type { KeyForm } from './key-fields.tsx'

interface FieldsProps {
  readonly form: KeyForm
}

const PERIODS = [
  { value: 'daily', label: 'a day' },
  { value: 'weekly', label: 'a week' },
  { value: 'monthly', label: 'a month' },
  { value: 'forever', label: 'in all, for ever' },
]

export function LimitFields({ form }: FieldsProps) {
  return (
    <fieldset className="key-part">
      <legend>Usage limit</legend>
      <Stack gap="sm">
        <Switch
          label="Stop at an amount"
          description="When it is spent, requests are refused until the period ends. Days begin at midnight UTC, weeks on Monday, months on the first."
          {...form.getInputProps('hasLimit', { type: 'checkbox' })}
        />
        {form.values.hasLimit && (
          <Group align="flex-start" gap="sm" grow>
            <TextInput
              label="At most, in USDT"
              inputMode="decimal"
              placeholder="such as 5"
              {...form.getInputProps('limitAmount')}
            />
            <NativeSelect label="Period" data={PERIODS} {...form.getInputProps('limitPeriod')} />
          </Group>
        )}
      </Stack>
    </fieldset>
  )
}

export function BudgetFields({ form }: FieldsProps) {
  return (
    <fieldset className="key-part">
      <legend>Budget</legend>
      <Stack gap="sm">
        <Switch
          label="Warn about monthly spending"
          description="Only warns, never stops anything: an alert is raised at each threshold, here and at your webhook."
          {...form.getInputProps('hasBudget', { type: 'checkbox' })}
        />
        {form.values.hasBudget && (
          <>
            <TextInput
              label="Budget a month, in USDT"
              inputMode="decimal"
              placeholder="such as 100"
              {...form.getInputProps('budgetAmount')}
            />
            <TagsInput
              label="Warn at, in percent"
              description="Press Enter after each."
              maxTags={20}
              {...form.getInputProps('thresholds')}
            />
          </>
        )}
      </Stack>
    </fieldset>
  )
}
