import { Text, Tooltip } from '@mantine/core'
import { CURRENCY } from './currency.ts'
import { formatMoney } from './format.ts'

export interface MoneyProps {
  /** The API's decimal string. */
  readonly amount: string
  /** Without the currency, for columns with the currency in the header. */
  readonly isBare?: boolean
  /** Every digit, without a hint. */
  readonly isExact?: boolean
}

/** An amount with its currency and all its digits in the hint. */
export function Money({ amount, isBare = false, isExact = false }: MoneyProps) {
  const shown = formatMoney(amount, { isExact })
  const exact = formatMoney(amount, { isExact: true })
  const text = (
    <span className="numeral">
      {shown}
      {!isBare && (
        <Text span inherit c="dimmed" fw={450} className="money-unit">
          {' '}
          {CURRENCY}
        </Text>
      )}
    </span>
  )
  return shown === exact ? text : <Tooltip label={`${exact} ${CURRENCY}`}>{text}</Tooltip>
}

/** What an account has, or owes when it is below zero. */
export function Balance({ amount, ...rest }: MoneyProps) {
  if (!/^-.*[1-9]/.test(amount)) return <Money amount={amount} {...rest} />
  return (
    <Text span inherit c="var(--mantine-color-error)">
      <Money amount={amount.slice(1)} {...rest} /> owed
    </Text>
  )
}

/** A price that may not be set. */
export function Amount({ amount }: { readonly amount: string | undefined }) {
  return amount === undefined ? '–' : <Money amount={amount} isBare />
}
