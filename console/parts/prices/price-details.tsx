import { Group, Stack, Text } from '@mantine/core'
import type { Price } from '../../api/wire.ts'
import { type Fact, Facts } from '../layout/panel.tsx'
import { StatusBadge } from '../layout/status-badge.tsx'
import { Money } from '../text/money.tsx'
import {
  describeImage,
  describeVariant,
  phaseOf,
  rateLabel,
  rateUnit,
  type UnitPrice,
  unitPriceOf,
} from './price-words.ts'
import { RATES } from './rates.ts'

/** Every rate of a price, and its variants in words. */
export function PriceDetails({ price }: { readonly price: Price }) {
  return (
    <Stack gap="sm">
      <Facts facts={factsOf(price)} />
      <VariantLines price={price} />
    </Stack>
  )
}

/** The price of a model that is not sold by tokens, with its unit below. */
export function UnitAmount({ price: { amount, unit } }: { readonly price: UnitPrice }) {
  return (
    <Stack gap={0}>
      <Money amount={amount} isBare isExact />
      <Text size="xs" c="dimmed" span className="price-unit">
        per {unit}
      </Text>
    </Stack>
  )
}

/** Whether the price has more than the general rates. */
export function hasMoreRates(price: Price): boolean {
  const { images = [], variants = [] } = price
  const hasSpecial = RATES.some(({ name, isGeneral }) => !isGeneral && price[name] !== undefined)
  return hasSpecial || images.length > 0 || variants.length > 0
}

function factsOf(price: Price): Fact[] {
  // Where nothing is sold by tokens, it goes without saying that they are free.
  const isByUnit = unitPriceOf(price) !== null
  const rates = RATES.flatMap(({ name, per }): Fact[] => {
    const amount = price[name]
    const unit = rateUnit({ name, per })
    const isHidden = name === 'image' || (isByUnit && unit === null)
    if (amount === undefined || (isHidden && Number(amount) === 0)) return []
    const label = unit === null ? rateLabel(name) : `Per ${unit}`
    return [{ label, value: <Money amount={amount} isExact /> }]
  })
  const images = (price.images ?? []).map((rate) => ({
    label: `Per ${describeImage(rate)}`,
    value: <Money amount={rate.price} isExact />,
  }))
  return [...rates, ...images]
}

/** What else applies under conditions, one line each. */
function VariantLines({ price: { variants = [] } }: { readonly price: Price }) {
  if (variants.length === 0) return null
  const nowMs = Date.now()
  return (
    <Stack gap={6} component="ul" className="plain-list">
      {variants.map((variant) => {
        const words = describeVariant(variant)
        const phase = phaseOf(variant.when, nowMs)
        return (
          <Group key={words} component="li" gap="xs">
            <Text size="sm" span>
              {words}
            </Text>
            {phase !== null && (
              <StatusBadge state={phase} tone={phase === 'scheduled' ? 'info' : 'neutral'} />
            )}
          </Group>
        )
      })}
    </Stack>
  )
}
