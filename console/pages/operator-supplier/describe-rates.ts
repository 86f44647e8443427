import type { Price } from '../../api/wire.ts'
import { unitPriceOf } from '../../parts/prices/price-words.ts'
import { formatMoney } from '../../parts/text/format.ts'

/** The general rates in a few characters: input and output, or what a unit costs. */
export function describeRates(price: Price | null): string {
  if (price === null) return 'No price'
  const unit = unitPriceOf(price)
  if (unit !== null) return `${formatMoney(unit.amount)} ${unit.unit}`
  return `${formatMoney(price.input)} in · ${formatMoney(price.output)} out`
}
