import { Button, Group, NativeSelect, Switch, Text, TextInput } from '@mantine/core'
import { IconCpu, IconSearch } from '@tabler/icons-react'
import { useModels } from '../../api/models.ts'
import type { Model } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import type { EmptyStateProps } from '../../parts/empty-state.tsx'
import { asList } from '../../parts/lists.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { TablePanel } from '../../parts/table-panel.tsx'
import { MODEL_COLUMNS } from './model-columns.tsx'
import { ModelDrawer } from './model-drawer.tsx'
import { describeFormat, describeKind, filterModels, type ModelFilters, NO_FILTERS } from './model-words.ts'

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
        description="Everything this account may use. Prices are those of the cheapest route, in USDT per million tokens. A key may be allowed less."
      />
      <TablePanel
        label="Models"
        filters={
          <>
            {(all.length > 0 || models.isPending) && (
              <ModelFilterBar models={all} filters={address} onChange={setAddress} />
            )}
            <Text className="told-only" aria-live="polite">
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
    'Your operator adds suppliers and models to this gateway; they appear here at once. With a credential of your own for a supplier its models appear, too: see Own credentials.',
}

function noMatch(count: number, onClear: () => void): EmptyStateProps {
  return {
    icon: IconSearch,
    title: 'No model fits',
    children: `${count} models are there, but none with all of these properties.`,
    action: (
      <Button variant="default" onClick={onClear}>
        Clear the filters
      </Button>
    ),
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

/** Only what some model has can be chosen. */
function ModelFilterBar({ models, filters, onChange }: ModelFilterBarProps) {
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
