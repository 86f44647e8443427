import { Group, NumberInput, type NumberInputProps } from '@mantine/core'

export interface RateFieldsProps extends Pick<NumberInputProps, 'description' | 'placeholder'> {
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
