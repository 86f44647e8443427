import { Group, NumberInput, type NumberInputProps } from '@mantine/core'

interface RateFieldsProps extends Pick<NumberInputProps, 'description' | 'placeholder'> {
  /** From the form with the fields `rpm` and `tpm`. */
  readonly inputProps: (field: 'rpm' | 'tpm') => object
}

/** Limits per minute. */
export function RateFields({ inputProps, ...words }: RateFieldsProps) {
  const count = { min: 1, allowDecimal: false, thousandSeparator: ',', ...words }
  return (
    <Group grow align="flex-start">
      <NumberInput label="Requests a minute" {...count} {...inputProps('rpm')} />
      <NumberInput label="Tokens a minute" {...count} {...inputProps('tpm')} />
    </Group>
  )
}

/** Converts a NumberInput value to an API limit: null if empty. */
export function countOrNull(value: number | string): number | null {
  const text = String(value).trim()
  return text === '' ? null : Number(text)
}

/** Formats a limit. */
export function describeLimit(value: number | null): string {
  return value === null ? 'No limit' : new Intl.NumberFormat('en').format(value)
}
