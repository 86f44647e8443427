import { Group, Select, type SelectProps, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ShownList } from '../../../src/edges/management-api/endpoint.ts'
import { api, type Query } from '../../api/client.ts'
import type { NameOf } from '../../api/use-list.ts'

interface Choice {
  readonly value: string
  readonly label: string
  /** Tells those with the same label apart. */
  readonly hint?: string | null | undefined
}

export interface SearchSelectProps<T>
  extends Pick<
    SelectProps,
    'label' | 'aria-label' | 'placeholder' | 'className' | 'description' | 'error' | 'required'
  > {
  /** The id of the chosen one; empty for none. */
  readonly value: string
  readonly onChange: (id: string) => void
  /** What it lists, such as "key". */
  readonly noun: string
  readonly source: SearchSource<T>
  /** The name of the chosen one, which the list need not contain. */
  readonly nameOf: NameOf
}

/** A list of the API that can be searched. */
export interface SearchSource<T> {
  readonly key: QueryKey
  readonly path: string
  readonly query?: Query
  readonly choiceOf: (row: T) => Choice
}

const PAUSE_MS = 200
const SHOWN = 30

/** Chooses one of many: the gateway searches, so that it works with thousands as with ten. */
export function SearchSelect<T>(props: SearchSelectProps<T>) {
  const { value, onChange, noun, source, nameOf, ...rest } = props
  const chosen = value === '' ? null : { value, label: nameOf(value) }
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  // The field contains the name of the chosen one, which nobody searches for.
  const wanted = text === chosen?.label ? '' : text.trim()
  const [search] = useDebouncedValue(wanted, PAUSE_MS)
  const { key, path, query, choiceOf } = source
  const found = useQuery({
    queryKey: [...key, 'search', query, search],
    queryFn: ({ signal }) =>
      api.get<ShownList<T>>(path, { query: { ...query, search, limit: SHOWN }, signal }),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  })
  const isSearching = found.isPending || found.isPlaceholderData || search !== wanted
  const known: readonly Choice[] = found.data?.data.map(choiceOf) ?? []
  // Until the answer is there, those that will be in it: one that is marked stays where it is when others go.
  const choices = isSearching ? known.filter((choice) => hasText(choice, wanted)) : known
  const hasChosen = chosen === null || choices.some((choice) => choice.value === chosen.value)
  return (
    <Select
      {...rest}
      searchable
      clearable
      value={chosen?.value ?? null}
      onChange={(id) => onChange(id ?? '')}
      data={[...(hasChosen ? [] : [chosen]), ...choices].map(({ value: id, label }) => ({
        value: id,
        label,
      }))}
      renderOption={({ option }) => (
        <ShownChoice label={option.label} hint={choices.find(({ value: id }) => id === option.value)?.hint} />
      )}
      filter={({ options }) => options}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      nothingFoundMessage={isSearching ? 'Searching…' : `No ${noun} has these words`}
      clearButtonProps={{ 'aria-label': `Clear the ${noun}` }}
      maxDropdownHeight={320}
    />
  )
}

function hasText({ label, hint }: Choice, text: string): boolean {
  return `${label} ${hint ?? ''}`.toLowerCase().includes(text.toLowerCase())
}

function ShownChoice({ label, hint = null }: { readonly label: string; readonly hint: Choice['hint'] }) {
  return (
    <Group gap={8} wrap="nowrap" justify="space-between" flex={1}>
      <span>{label}</span>
      {hint !== null && (
        <Text span size="xs" c="dimmed" className="mono">
          {hint}
        </Text>
      )}
    </Group>
  )
}
