import { Group, NumberInput, type NumberInputProps } from '@mantine/core'

interface RateFieldsProps extends Pick<NumberInputProps, 'description' | 'placeholder'> {
  /** Of the form whose fields `rpm` and `tpm` they are. */
  readonly inputProps: (field: 'rpm' | 'tpm') => object
}

/** How much may be used in a minute. */
export function RateFields({ inputProps, ...words }: RateFieldsProps) {
  const count = { min: 1, allowDecimal: false, thousandSeparator: ',', ...words }
  return (
    <Group grow align="flex-start">
      <NumberInput label="Requests a minute" {...count} {...inputProps('rpm')} />
      <NumberInput label="Tokens a minute" {...count} {...inputProps('tpm')} />
    </Group>
  )
}

/** What a NumberInput holds, as the API takes a limit: null for an empty field. */
export function countOrNull(value: number | string): number | null {
  const text = String(value).trim()
  return text === '' ? null : Number(text)
}

/** A limit as people read it. */
export function describeLimit(value: number | null): string {
  return value === null ? 'No limit' : new Intl.NumberFormat('en').format(value)
}
