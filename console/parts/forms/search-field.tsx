import { TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'

export interface SearchFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'label'> {
  /** Accessible name. */
  readonly label: string
  /** Shows the label above, as beside other labelled fields. */
  readonly isLabelShown?: boolean
  readonly value: string
  readonly onSearch: (text: string) => void
}

const PAUSE_MS = 200

/** A search field that searches when typing pauses. */
export function SearchField({ label, isLabelShown = false, value, onSearch, ...rest }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const asked = useRef(value)
  const search = useDebouncedCallback((text: string) => {
    asked.current = text
    onSearch(text)
  }, PAUSE_MS)
  // Filters can be cleared elsewhere or by the back button. Text being typed is kept.
  useEffect(() => {
    if (value === asked.current) return
    asked.current = value
    setTyped(value)
  }, [value])
  return (
    <TextInput
      type="search"
      {...(isLabelShown ? { label } : { 'aria-label': label })}
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
