import { NativeSelect, NumberInput, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPercentage } from '@tabler/icons-react'
import type { MarkUps } from '../../../src/vocabulary/records/mark-up.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import { useAccountNames } from '../../api/operator.ts'
import type { NameOf } from '../../api/use-list.ts'
import type { MarkUp } from '../../api/wire.ts'
import { AccountPicker, CatalogModelPicker } from '../../parts/pickers/operator-pickers.tsx'
import { RecordName, RecordPage } from '../../parts/record-page.tsx'
import type { Column } from '../../parts/tables/table-panel.tsx'

export function Page() {
  const nameOf = useAccountNames()
  return (
    <RecordPage
      slug="mark-ups"
      title="Mark-ups"
      description="Percentages on top of prices, by account, tier or model. Each change applies from the next request."
      noun="mark-up"
      icon={IconPercentage}
      purpose="Add a percentage to the prices of an account, a tier or a model. A negative percentage is a discount."
      exampleId="enterprise"
      columns={columnsOf(nameOf)}
      valuesOf={valuesOf}
      bodyOf={bodyOf}
      validate={{
        id: (id) => (id.trim() === '' ? 'Enter an id' : null),
        name: (name) => (name.trim() === '' ? 'Enter what the mark-up is for' : null),
      }}
      fields={(field, form) => (
        <>
          <NativeSelect
            label="Applies to"
            description="Only one mark-up applies: the account’s, otherwise the tier’s, otherwise the model’s."
            data={[...TARGETS]}
            {...field('applies_to')}
            onChange={(event) =>
              form.setValues({ applies_to: event.currentTarget.value as MarkUp['applies_to'], name: '' })
            }
          />
          <Target form={form} />
          <NumberInput
            label="Percent"
            description="Added to the price. A negative percentage is a discount. 0 means no mark-up, even if the tier or the model has one."
            min={-100}
            max={1_000}
            decimalScale={2}
            suffix="%"
            {...field('percent')}
          />
        </>
      )}
    />
  )
}

function Target({ form }: { readonly form: UseFormReturnType<Values> }) {
  const picked = {
    required: true,
    value: form.values.name,
    error: form.errors.name,
    onChange: (name: string) => form.setFieldValue('name', name),
  }
  switch (form.values.applies_to) {
    case 'account':
      return <AccountPicker label="Account" placeholder="Choose…" {...picked} />
    case 'model':
      return <CatalogModelPicker label="Model" placeholder="Choose…" {...picked} />
    case 'tier':
      return (
        <TextInput
          label="Tier"
          description="The name of the tier."
          placeholder="Enterprise"
          required
          {...form.getInputProps('name')}
        />
      )
  }
}

const TARGETS = [
  { value: 'account', label: 'Account' },
  { value: 'tier', label: 'Tier' },
  { value: 'model', label: 'Model' },
] as const satisfies readonly { value: MarkUp['applies_to']; label: string }[]

const columnsOf = (nameOf: NameOf): readonly Column<MarkUp>[] => [
  {
    head: 'Mark-up',
    cell: ({ id, name, applies_to: target }) => (
      <>
        <RecordName id={id} name={target === 'account' ? nameOf(name) : name} />
        <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
          {labelOf(target)}
        </Text>
      </>
    ),
  },
  { head: 'Applies to', from: 'sm', cell: ({ applies_to: target }) => labelOf(target) },
  { head: 'Percent', isNumeric: true, cell: ({ percent }) => `${percent > 0 ? '+' : ''}${percent}%` },
]

function labelOf(target: MarkUp['applies_to']): string {
  return TARGETS.find(({ value }) => value === target)?.label ?? target
}

type Values = ReturnType<typeof valuesOf>

function valuesOf(markUp: MarkUp | null) {
  return {
    id: markUp?.id ?? '',
    applies_to: markUp?.applies_to ?? ('account' as const),
    name: markUp?.name ?? '',
    percent: markUp?.percent ?? 0,
  }
}

function bodyOf({ applies_to, name, percent }: Values): Sent<typeof MarkUps.body> {
  return { applies_to, name: name.trim(), percent: Number(percent) }
}
