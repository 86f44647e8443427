import type { Price, PriceVariant } from '../../api/wire.ts'
import { readNano } from '../../parts/text/exact-amount.ts'

/** The rates of a price or variant, all of which may be missing. */
type NamedRates = Omit<PriceVariant, 'when'>

/** A price per image of one size and quality. Empty for every size or quality. */
export interface ImageValues {
  readonly size: string
  readonly quality: string
  readonly price: string
}

/** Rates as typed. What is empty or missing is not named in the body; null stands for a list that is not named. */
export interface RatesValues {
  readonly rates: Readonly<Record<string, string | undefined>>
  readonly images: readonly ImageValues[] | null
}

export interface ConditionValues {
  readonly prompt_above: number | string
  readonly prompt_part_above: number | string
  readonly tier: string
  readonly hours: string
  readonly from: string
  readonly until: string
}

export interface VariantValues extends RatesValues {
  readonly when: ConditionValues
}

/** The form values of a price. */
export interface PriceValues extends RatesValues {
  readonly variants: readonly VariantValues[] | null
}

export const NEW_IMAGE: ImageValues = { size: '', quality: '', price: '' }
export const NEW_VARIANT: VariantValues = { when: valuesOfCondition({}), rates: {}, images: null }

export function valuesOfPrice(price: Price | null): PriceValues {
  const { variants, ...rates } = price ?? { input: '', output: '' }
  return { ...valuesOfRates(rates), variants: variants?.map(valuesOfVariant) ?? null }
}

function valuesOfRates({ images, ...rates }: NamedRates): RatesValues {
  return {
    rates,
    images:
      images?.map(({ size, quality, price }) => ({ size: size ?? '', quality: quality ?? '', price })) ??
      null,
  }
}

function valuesOfVariant({ when, ...rates }: PriceVariant): VariantValues {
  return { when: valuesOfCondition(when), ...valuesOfRates(rates) }
}

function valuesOfCondition(when: PriceVariant['when']): ConditionValues {
  return {
    prompt_above: when.prompt_above ?? '',
    prompt_part_above: when.prompt_part_above ?? '',
    tier: when.tier ?? '',
    hours: when.hours ?? '',
    from: when.from ?? '',
    until: when.until ?? '',
  }
}

/** Empty general rates get their defaults, so that the preview shows the final prices. */
export function bodyOfPrice({ variants, ...values }: PriceValues): Price {
  const {
    input = '',
    output = '',
    cache_read = input,
    cache_write = input,
    image = '0',
    ...others
  } = bodyOfRates(values)
  const general = { input, output, cache_read, cache_write, image }
  return { ...general, ...others, ...(variants !== null && { variants: variants.map(bodyOfVariant) }) }
}

function bodyOfRates({ rates, images }: RatesValues): NamedRates {
  const named = Object.entries(rates).map(([name, amount = '']) => [name, amount.trim()])
  return {
    ...Object.fromEntries(named.filter(([, amount]) => amount !== '')),
    ...(images !== null && { images: images.map(bodyOfImage) }),
  }
}

function bodyOfImage({ size, quality, price }: ImageValues) {
  return { size: size.trim() || null, quality: quality.trim() || null, price: price.trim() }
}

export function bodyOfVariant({ when, ...values }: VariantValues): PriceVariant {
  const { prompt_above: above, prompt_part_above: partAbove, ...words } = when
  const given = Object.entries(words).map(([name, text]) => [name, text.trim()])
  return {
    when: {
      ...Object.fromEntries(given.filter(([, text]) => text !== '')),
      ...(above !== '' && { prompt_above: Number(above) }),
      ...(partAbove !== '' && { prompt_part_above: Number(partAbove) }),
    },
    ...bodyOfRates(values),
  }
}

const NOT_AN_AMOUNT = 'Enter an amount such as 1.25'
const HOURS = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/

/** What is wrong with a price, by the path of the form field. */
export function findPriceErrors(values: PriceValues, path: string): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const name of ['input', 'output']) {
    if (!isAmount(values.rates[name] ?? '')) errors[`${path}.rates.${name}`] = NOT_AN_AMOUNT
  }
  findRateErrors(values, path, errors)
  for (const [index, variant] of (values.variants ?? []).entries()) {
    const at = `${path}.variants.${index}`
    findRateErrors(variant, at, errors)
    const hours = variant.when.hours.trim()
    if (hours !== '' && !HOURS.test(hours)) errors[`${at}.when.hours`] = 'Enter times such as 16:30-00:30'
  }
  return errors
}

function findRateErrors({ rates, images }: RatesValues, path: string, errors: Record<string, string>): void {
  for (const [name, amount = ''] of Object.entries(rates)) {
    if (amount.trim() !== '' && !isAmount(amount)) errors[`${path}.rates.${name}`] = NOT_AN_AMOUNT
  }
  for (const [index, { price }] of (images ?? []).entries()) {
    if (!isAmount(price)) errors[`${path}.images.${index}.price`] = NOT_AN_AMOUNT
  }
}

function isAmount(text: string): boolean {
  const nano = readNano(text)
  return nano !== null && nano >= 0n
}
