import { TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'

export interface SearchFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'label'> {
  /** Names the field for those who cannot see it. */
  readonly label: string
  readonly value: string
  readonly onSearch: (text: string) => void
}

const PAUSE_MS = 200

/** A field whose text is searched for when typing pauses. */
export function SearchField({ label, value, onSearch, ...rest }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const search = useDebouncedCallback(onSearch, PAUSE_MS)
  return (
    <TextInput
      type="search"
      aria-label={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      {...rest}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        search(event.currentTarget.value)
      }}
    />
  )
}
