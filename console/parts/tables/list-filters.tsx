import { Group, NativeSelect, type NativeSelectProps } from '@mantine/core'
import { SearchField } from '../forms/search-field.tsx'

export interface ListFiltersProps<Name extends string> {
  /** The search text `q` and one property; usually stored in the address. */
  readonly state: Readonly<Record<Name | 'q', string>>
  readonly onChange: (change: Partial<Record<Name | 'q', string>>) => void
  /** Accessible name of the search field. */
  readonly label: string
  readonly placeholder: string
  readonly choice: {
    readonly name: Name
    readonly label: string
    /** The label of the empty value. */
    readonly all: string
    readonly options: Readonly<NonNullable<NativeSelectProps['data']>>
  }
}

/** Filters a list by text and by one property. */
export function ListFilters<Name extends string>(props: ListFiltersProps<Name>) {
  const { state, onChange, label, placeholder, choice } = props
  const change = (name: Name | 'q', value: string) =>
    onChange({ [name]: value } as Partial<Record<Name | 'q', string>>)
  return (
    <Group gap="sm" mb="md">
      <SearchField
        label={label}
        placeholder={placeholder}
        value={state.q}
        onSearch={(text) => change('q', text)}
        className="filter-wide"
      />
      <NativeSelect
        aria-label={choice.label}
        value={state[choice.name]}
        onChange={(event) => change(choice.name, event.currentTarget.value)}
        data={[{ value: '', label: choice.all }, ...choice.options]}
      />
    </Group>
  )
}
