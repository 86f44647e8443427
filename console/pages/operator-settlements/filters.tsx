import { Button, Select, SimpleGrid, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { accountCall, allAccountsQuery, allModelsQuery, readWhole } from '../../api/operator.ts'
import type { ApiKey } from '../../api/wire.ts'
import { TimeField } from '../../parts/time-field.tsx'

/** `customer` because the address holds the viewer's own account already. */
export const NO_FILTERS = { customer: '', key: '', model: '', from: '', to: '' }
export type SettlementFilters = typeof NO_FILTERS

interface FiltersProps {
  readonly filters: SettlementFilters
  readonly onChange: (change: Partial<SettlementFilters>) => void
}

const SHOWN_CHOICES = 50

export function Filters({ filters, onChange }: FiltersProps) {
  const accounts = useQuery(allAccountsQuery)
  const models = useQuery(allModelsQuery)
  const isNarrowed = Object.values(filters).some((value) => value !== '')
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="sm" mb="md">
        <Select
          label="Account"
          placeholder="All"
          searchable
          clearable
          limit={SHOWN_CHOICES}
          nothingFoundMessage="No account"
          data={withChosen(
            (accounts.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
            filters.customer,
          )}
          value={filters.customer || null}
          onChange={(customer) => onChange({ customer: customer ?? '', key: '' })}
          clearButtonProps={{ 'aria-label': 'Clear the account' }}
        />
        <KeyFilter filters={filters} onChange={onChange} />
        <Select
          label="Model"
          placeholder="All"
          searchable
          clearable
          limit={SHOWN_CHOICES}
          nothingFoundMessage="No model"
          data={withChosen(
            (models.data?.data ?? []).map(({ id }) => ({ value: id, label: id })),
            filters.model,
          )}
          value={filters.model || null}
          onChange={(model) => onChange({ model: model ?? '' })}
          clearButtonProps={{ 'aria-label': 'Clear the model' }}
        />
        <TimeField label="From" value={filters.from} onChange={(from) => onChange({ from })} />
        <TimeField label="Before" value={filters.to} onChange={(to) => onChange({ to })} />
      </SimpleGrid>
      {isNarrowed && (
        <Button variant="subtle" size="compact-sm" mb="sm" onClick={() => onChange(NO_FILTERS)}>
          Clear the filters
        </Button>
      )}
    </>
  )
}

/** With an account its keys by name, without one a key's id as it was pasted. */
function KeyFilter({ filters: { customer, key }, onChange }: FiltersProps) {
  const keys = useQuery({
    queryKey: ['operator', 'accounts', customer, 'all-keys'],
    queryFn: ({ signal }) => readWhole<ApiKey>(accountCall(customer, '/keys'), { signal }),
    enabled: customer !== '',
  })
  if (customer === '') {
    return (
      <TextInput
        label="Key"
        placeholder="key_…"
        defaultValue={key}
        key={key}
        onBlur={(event) => onChange({ key: event.currentTarget.value.trim() })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onChange({ key: event.currentTarget.value.trim() })
        }}
      />
    )
  }
  return (
    <Select
      label="Key"
      placeholder="All of the account"
      clearable
      data={withChosen(
        (keys.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        key,
      )}
      value={key || null}
      onChange={(chosen) => onChange({ key: chosen ?? '' })}
      clearButtonProps={{ 'aria-label': 'Clear the key' }}
    />
  )
}

interface Choice {
  readonly value: string
  readonly label: string
}

/** The chosen one also while the names are on their way, or when it is gone. */
function withChosen(choices: readonly Choice[], chosen: string): Choice[] {
  const isKnown = chosen === '' || choices.some(({ value }) => value === chosen)
  return isKnown ? [...choices] : [...choices, { value: chosen, label: chosen }]
}
