import { TextInput, type TextInputProps } from '@mantine/core'

interface IdFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly value: string
  readonly onChange: (id: string) => void
}

/** Takes a typed or pasted id, and applies it when it is complete. */
export function IdField({ value, onChange, ...rest }: IdFieldProps) {
  return (
    <TextInput
      {...rest}
      defaultValue={value}
      // A link or “Clear” changes the value from outside.
      key={value}
      onBlur={(event) => onChange(event.currentTarget.value.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onChange(event.currentTarget.value.trim())
      }}
    />
  )
}
