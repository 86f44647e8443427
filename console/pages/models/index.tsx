import { Group, NativeSelect, Switch, Text, TextInput } from '@mantine/core'
import { IconCpu, IconSearch } from '@tabler/icons-react'
import { useModels } from '../../api/models.ts'
import type { Model } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import type { EmptyStateProps } from '../../parts/layout/empty-state.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { describeFormat, describeKind } from '../../parts/models/supply-words.ts'
import { asList } from '../../parts/tables/lists.ts'
import { TablePanel } from '../../parts/tables/table-panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { MODEL_COLUMNS } from './model-columns.tsx'
import { ModelDrawer } from './model-drawer.tsx'
import { filterModels, type ModelFilters, NO_FILTERS } from './model-words.ts'

export function Page() {
  const account = useAccount()
  const [address, setAddress] = useUrlState({ ...NO_FILTERS, model: '' })
  const models = useModels(account.id)
  const all = models.data?.data ?? []
  const shown = filterModels(all, address)
  return (
    <>
      <PageHeader
        title="Models"
        description={`The models this account can use. Prices are for the cheapest route, in ${CURRENCY} per million tokens where no other unit is named. A key can be limited to fewer models.`}
      />
      <TablePanel
        label="Models"
        filters={
          <>
            {(all.length > 0 || models.isPending) && (
              <ModelFilterBar models={all} filters={address} onChange={setAddress} />
            )}
            <Text className="sr-only" aria-live="polite">
              {models.isPending ? '' : `${shown.length} of ${all.length} models`}
            </Text>
          </>
        }
        list={{ ...asList(models), rows: shown }}
        columns={MODEL_COLUMNS}
        onOpen={({ id }) => setAddress({ model: id })}
        empty={all.length === 0 ? NONE : noMatch(all.length, () => setAddress(NO_FILTERS))}
      />
      {address.model !== '' && !models.isPending && (
        <ModelDrawer
          id={address.model}
          model={all.find(({ id }) => id === address.model)}
          onClose={() => setAddress({ model: '' })}
        />
      )}
    </>
  )
}

const NONE = {
  icon: IconCpu,
  title: 'No models yet',
  children:
    'Models appear here when your operator adds them, or when you add your own supplier under Own credentials.',
}

function noMatch(count: number, onClear: () => void): EmptyStateProps {
  return {
    icon: IconSearch,
    title: 'No matching models',
    children: `None of the ${count} models matches all filters.`,
    action: { label: 'Clear filters', onClick: onClear },
  }
}

interface ModelFilterBarProps {
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

interface Choice {
  readonly name: 'kind' | 'format' | 'supplier'
  readonly label: string
  readonly optionsOf: (models: readonly Model[]) => ReturnType<typeof choices>
}

const CHOICES: readonly Choice[] = [
  {
    name: 'kind',
    label: 'Kind',
    optionsOf: (models) => choices('All kinds', listOf(models, 'kinds'), describeKind),
  },
  {
    name: 'format',
    label: 'Format',
    optionsOf: (models) => choices('All formats', listOf(models, 'formats'), describeFormat),
  },
  {
    name: 'supplier',
    label: 'Supplier',
    optionsOf: (models) => choices('All suppliers', listOf(models, 'suppliers'), String),
  },
]

function listOf<Name extends 'kinds' | 'formats' | 'suppliers'>(models: readonly Model[], name: Name) {
  return models.flatMap((model): readonly Model[Name][number][] => model[name])
}

/** Offers only values that some model has. */
function ModelFilterBar({ models, filters, onChange }: ModelFilterBarProps) {
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
      {CHOICES.map(({ name, label, optionsOf }) => (
        <NativeSelect
          key={name}
          aria-label={label}
          value={filters[name]}
          data={optionsOf(models)}
          onChange={(event) => onChange({ [name]: event.currentTarget.value })}
          flex="1 1 130px"
        />
      ))}
      <NativeSelect
        aria-label="Order"
        data={SORTS}
        value={filters.sort}
        onChange={(event) => onChange({ sort: event.currentTarget.value })}
        flex="1 1 130px"
      />
      <Switch
        label="Available now"
        checked={filters.routeable !== ''}
        onChange={(event) => onChange({ routeable: event.currentTarget.checked ? 'yes' : '' })}
      />
    </Group>
  )
}

function choices<T extends string>(all: string, values: readonly T[], nameOf: (value: T) => string) {
  return [{ value: '', label: all }, ...unique(values).map((value) => ({ value, label: nameOf(value) }))]
}

function unique<T extends string>(values: readonly T[]): T[] {
  return [...new Set(values)].toSorted()
}
