import { Price, type PriceSettings, type PriceVariant, type Rates } from '../../vocabulary/price.ts'
import { wireName } from '../../vocabulary/shape.ts'

/** What is wrong with a price, and where: `variants[1].when.until`. */
export interface PriceProblem {
  readonly param: string
  /** Follows the name of the field in a sentence. */
  readonly problem: string
}

/** What the types cannot say: a price that means nothing or could never apply. Null when nothing is wrong. */
export function findPriceProblem(price: PriceSettings): PriceProblem | null {
  const ofImages = findCoveredImage(price, '')
  if (ofImages !== null) return ofImages
  for (const [index, variant] of (price.variants ?? []).entries()) {
    const path = `variants[${index}]`
    const problem =
      findConditionProblem(variant, path) ??
      findRateProblem(variant, path) ??
      findCoveredImage(variant, `${path}.`)
    if (problem !== null) return problem
  }
  return null
}

/** An empty list says the same as none, so that prices can be compared. */
export function withoutEmptyLists({ variants = [], ...rest }: PriceSettings): PriceSettings {
  const price = withoutEmptyImages(rest)
  return variants.length === 0 ? price : { ...price, variants: variants.map(withoutEmptyImages) }
}

function withoutEmptyImages<Given extends Pick<Rates, 'imageRates'>>(rates: Given): Given {
  if (rates.imageRates?.length !== 0) return rates
  const { imageRates: _, ...rest } = rates
  return rest as Given
}

function findConditionProblem({ when }: PriceVariant, path: string): PriceProblem | null {
  const { promptAbove, promptPartAbove, fromMs, untilMs } = when
  const named = Object.values(when).filter((value) => value !== undefined)
  if (named.length === 0) {
    return { param: `${path}.when`, problem: 'must name a condition; a variant without one is the price.' }
  }
  if (promptAbove !== undefined && promptPartAbove !== undefined) {
    const problem = 'cannot be combined with prompt_above; use one of them.'
    return { param: `${path}.when.prompt_part_above`, problem }
  }
  if (fromMs !== undefined && untilMs !== undefined && untilMs <= fromMs) {
    return { param: `${path}.when.until`, problem: 'must be later than from.' }
  }
  return null
}

// The part of a prompt has no answer, images or tool calls of its own.
const PART_RATES: readonly string[] = Object.keys(Price.fields).filter((name) =>
  /^(input|audioInput|imageInput|cacheRead|audioCacheRead|imageCacheRead|cacheWrite.*)NanoPerMillion$/.test(
    name,
  ),
)

function findRateProblem({ when, ...rates }: PriceVariant, path: string): PriceProblem | null {
  const named = Object.entries(rates).filter(([, rate]) =>
    Array.isArray(rate) ? rate.length > 0 : rate !== undefined,
  )
  if (named.length === 0) return { param: path, problem: 'must name a rate that differs.' }
  if (when.promptPartAbove === undefined) return null
  const other = named.find(([name]) => !PART_RATES.includes(name))?.[0] as keyof Rates | undefined
  if (other === undefined) return null
  const problem = 'is not for the prompt, and prompt_part_above changes only rates of the prompt.'
  return { param: `${path}.${wireName(other, Price.fields[other])}`, problem }
}

/** An image rate that never applies, because an earlier one matches everything that it matches. */
function findCoveredImage({ imageRates = [] }: Pick<Rates, 'imageRates'>, path: string): PriceProblem | null {
  for (const [index, { size, quality }] of imageRates.entries()) {
    const cover = imageRates
      .slice(0, index)
      .findIndex(
        (earlier) =>
          (earlier.size === null || earlier.size === size) &&
          (earlier.quality === null || earlier.quality === quality),
      )
    if (cover >= 0) {
      const problem = `never applies: ${path}images[${cover}] is for the same images and comes first.`
      return { param: `${path}images[${index}]`, problem }
    }
  }
  return null
}
