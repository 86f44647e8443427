import { Group, NativeSelect, type NativeSelectProps } from '@mantine/core'
import { SearchField, type SearchFieldProps } from './search-field.tsx'

export interface ListFiltersProps {
  readonly search: Pick<SearchFieldProps, 'label' | 'placeholder' | 'value' | 'onSearch'>
  readonly choice: {
    /** Names it for those who cannot see it. */
    readonly label: string
    /** What an empty value stands for. */
    readonly all: string
    readonly options: Readonly<NonNullable<NativeSelectProps['data']>>
    readonly value: string
    readonly onChange: (value: string) => void
  }
}

/** Narrows a list by words and by one property. */
export function ListFilters({ search, choice: { label, all, options, value, onChange } }: ListFiltersProps) {
  return (
    <Group gap="sm" mb="md">
      <SearchField {...search} className="filter-wide" />
      <NativeSelect
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={[{ value: '', label: all }, ...options]}
      />
    </Group>
  )
}
