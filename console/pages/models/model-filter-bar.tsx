import { Group, NativeSelect, Switch, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import type { Model } from '../../api/wire.ts'
import { describeFormat, describeKind, type ModelFilters } from './model-words.ts'

export interface ModelFilterBarProps {
  readonly models: readonly Model[]
  readonly filters: ModelFilters
  readonly onChange: (change: Partial<ModelFilters>) => void
}

const SORTS = [
  { value: 'name', label: 'By name' },
  { value: 'input', label: 'Cheapest input first' },
  { value: 'output', label: 'Cheapest output first' },
  { value: 'context', label: 'Largest context first' },
]

/** Only what some model has can be chosen. */
export function ModelFilterBar({ models, filters, onChange }: ModelFilterBarProps) {
  const kinds = unique(models.flatMap((model) => model.kinds))
  const formats = unique(models.flatMap((model) => model.formats))
  const suppliers = unique(models.flatMap((model) => model.suppliers))
  return (
    <Group className="filter-bar" gap="sm">
      <TextInput
        aria-label="Search models"
        placeholder="Search by name or purpose"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filters.q}
        onChange={(event) => onChange({ q: event.currentTarget.value })}
        flex="2 1 220px"
      />
      <Choice
        label="Kind"
        all="Every kind"
        value={filters.kind}
        options={kinds.map((value) => ({ value, label: describeKind(value) }))}
        onChange={(kind) => onChange({ kind })}
      />
      <Choice
        label="Format"
        all="Every format"
        value={filters.format}
        options={formats.map((value) => ({ value, label: describeFormat(value) }))}
        onChange={(format) => onChange({ format })}
      />
      <Choice
        label="Supplier"
        all="Every supplier"
        value={filters.supplier}
        options={suppliers.map((value) => ({ value, label: value }))}
        onChange={(supplier) => onChange({ supplier })}
      />
      <NativeSelect
        aria-label="Order"
        data={SORTS}
        value={filters.sort}
        onChange={(event) => onChange({ sort: event.currentTarget.value })}
        flex="1 1 130px"
      />
      <Switch
        label="Works now"
        checked={filters.routeable !== ''}
        onChange={(event) => onChange({ routeable: event.currentTarget.checked ? 'yes' : '' })}
      />
    </Group>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly all: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onChange: (value: string) => void
}

function Choice({ label, all, value, options, onChange }: ChoiceProps) {
  return (
    <NativeSelect
      aria-label={label}
      data={[{ value: '', label: all }, ...options]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      flex="1 1 130px"
    />
  )
}

function unique<T extends string>(values: readonly T[]): T[] {
  return [...new Set(values)].toSorted()
}
