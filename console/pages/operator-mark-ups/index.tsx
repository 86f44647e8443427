import { NativeSelect, NumberInput, Text, TextInput } from '@mantine/core'
import { IconPercentage } from '@tabler/icons-react'
import type { MarkUps } from '../../../src/vocabulary/records/mark-up.ts'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import type { MarkUp } from '../../api/wire.ts'
import { RecordPage } from '../../parts/record-page.tsx'
import { type Column, TwoLines } from '../../parts/tables/table-panel.tsx'

export function Page() {
  return (
    <RecordPage
      slug="mark-ups"
      title="Mark-ups"
      description="Percentages on top of prices, by account, tier or model. Each change applies from the next request."
      noun="mark-up"
      icon={IconPercentage}
      purpose="Add a percentage to the prices of an account, a tier or a model. A negative one is a discount."
      exampleId="enterprise"
      columns={COLUMNS}
      valuesOf={valuesOf}
      bodyOf={bodyOf}
      validate={{
        id: (id) => (id.trim() === '' ? 'Enter an id' : null),
        name: (name) => (name.trim() === '' ? 'Enter what the mark-up is for' : null),
      }}
      fields={(field) => (
        <>
          <NativeSelect
            label="Applies to"
            description="An account has its own mark-up, else that of its tier, else that of the model."
            data={[...TARGETS]}
            {...field('applies_to')}
          />
          <TextInput
            label="Name"
            description="The id of the account or model, or the name of the tier."
            placeholder="Enterprise"
            required
            {...field('name')}
          />
          <NumberInput
            label="Percent"
            description="Added to the price. A negative one is a discount, 0 excludes other mark-ups."
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

const TARGETS = [
  { value: 'account', label: 'Account' },
  { value: 'tier', label: 'Tier' },
  { value: 'model', label: 'Model' },
] as const satisfies readonly { value: MarkUp['applies_to']; label: string }[]

const COLUMNS: readonly Column<MarkUp>[] = [
  {
    head: 'Mark-up',
    cell: ({ id, name, applies_to: target }) => (
      <TwoLines below={id} belowClass="mono">
        {name}
        <Text span size="xs" c="dimmed" fw={400} hiddenFrom="sm">
          {labelOf(target)}
        </Text>
      </TwoLines>
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
