import { isDeepStrictEqual } from 'node:util'
import {
  type Price,
  type PriceCondition,
  type PriceVariant,
  type Rates,
  writePrice,
} from '../../vocabulary/price.ts'
import { GENERAL_KIND, type TokenKind } from './rates.ts'

type RateName = keyof Rates
type NamedRates = Omit<PriceVariant, 'when'>

/**
 * A price that is `next` where the condition holds, and `present` elsewhere. A variant changes only the rates it names,
 * so the added ones name every rate in which the two differ or that another variant of `present` changes. A kind that
 * variants of `next` price apart must be priced apart in `next` itself.
 */
export function replaceWhere(present: Price, next: Price, condition: PriceCondition): Price {
  const { variants: earlier = [], ...before } = present
  const { variants: own = [], ...after } = next
  const touched = new Set(earlier.flatMap(({ when: _, ...named }) => rateNames(named)))
  // What `next` does not price apart costs what the general kind costs, and must be told so.
  const apart = [...rateNames(before), ...touched].filter((name) => after[name] === undefined)
  const whole = { ...after, ...pick(UNPRICED, apart), ...generalRates(after, apart) }
  const named = rateNames(whole).filter(
    (name) => touched.has(name) || !isDeepStrictEqual(whole[name], before[name]),
  )
  const replacement = named.length === 0 ? [] : [{ when: condition, ...pick(whole, named) }]
  const added = own.map(({ when, ...rates }) => {
    return { ...generalRates(rates, apart), ...rates, when: both(when, condition) }
  })
  const variants = [...earlier, ...replacement, ...added]
  return variants.length === 0 ? before : { ...before, variants }
}

/** What units cost that a price does not name. */
const UNPRICED: NamedRates = {
  requestNano: 0n,
  webSearchNano: 0n,
  codeExecutionNano: 0n,
  searchUnitNano: 0n,
  audioMinuteNano: 0n,
  characterNanoPerMillion: 0n,
}

/** What kinds cost that are not priced apart, where the rate of their general kind is among these. */
function generalRates(rates: NamedRates, names: readonly RateName[]): NamedRates {
  const found = names.flatMap((name) => {
    const rate = name === 'imageRates' ? everyImage(rates) : generalRate(rates, name)
    return rate === undefined ? [] : [[name, rate] as const]
  })
  return Object.fromEntries(found)
}

function generalRate(rates: NamedRates, name: RateName) {
  const general = GENERAL_KIND[name.replace(/NanoPerMillion$/, '') as TokenKind]
  return general ? rates[`${general}NanoPerMillion`] : undefined
}

/** A list without entries would say nothing, so it has one for images of all sizes. */
function everyImage({ imageNano }: NamedRates) {
  return imageNano === undefined ? undefined : [{ size: null, quality: null, imageNano }]
}

function both(one: PriceCondition, other: PriceCondition): PriceCondition {
  const fromMs = Math.max(one.fromMs ?? 0, other.fromMs ?? 0)
  return { ...one, ...other, ...(fromMs > 0 && { fromMs }) }
}

/** The price with another one from that time on. What was to apply later still applies before it. */
export function schedulePrice(present: Price, next: Price, fromMs: number): Price {
  const { variants = [], ...rates } = present
  const ended = variants.flatMap((variant): PriceVariant[] => {
    const { when } = variant
    if (when.fromMs !== undefined && when.fromMs >= fromMs) return []
    // Parts of a prompt are charged apart, so no later variant takes their place.
    if (when.promptPartAbove === undefined) return [variant]
    return [{ ...variant, when: { ...when, untilMs: Math.min(when.untilMs ?? fromMs, fromMs) } }]
  })
  const coming = (next.variants ?? []).filter(({ when }) => (when.untilMs ?? fromMs + 1) > fromMs)
  return replaceWhere({ ...rates, variants: ended }, { ...next, variants: coming }, { fromMs })
}

/** The same price for every request from this time on, without variants that are over or have become the rule. */
export function priceSince(price: Price, nowMs: number): Price {
  const { variants = [], ...base } = price
  let rates: Rates = base
  let kept: PriceVariant[] = []
  for (const { when, ...named } of variants) {
    if (when.untilMs !== undefined && when.untilMs <= nowMs) continue
    const { fromMs, ...others } = when
    const condition: PriceCondition = fromMs !== undefined && fromMs > nowMs ? when : others
    if (Object.values(condition).some((value) => value !== undefined)) {
      kept.push({ when: condition, ...named })
      continue
    }
    rates = { ...rates, ...(pick(named, rateNames(named)) as Partial<Rates>) }
    kept = kept.flatMap((variant) => withoutRates(variant, rateNames(named)))
  }
  return kept.length === 0 ? rates : { ...rates, variants: kept }
}

/** Rates that a later variant always changes have no effect, unless they are for a part of the prompt. */
function withoutRates(variant: PriceVariant, names: readonly RateName[]): PriceVariant[] {
  const { when, ...named } = variant
  if (when.promptPartAbove !== undefined) return [variant]
  const left = rateNames(named).filter((name) => !names.includes(name))
  return left.length === 0 ? [] : [{ when, ...pick(named, left) }]
}

/** Whether both charge the same for every request from this time on, as far as can be told from how they are written. */
export function isSamePrice(one: Price, other: Price, nowMs: number): boolean {
  return isDeepStrictEqual(writePrice(priceSince(one, nowMs)), writePrice(priceSince(other, nowMs)))
}

function rateNames(rates: NamedRates): RateName[] {
  return (Object.keys(rates) as RateName[]).filter((name) => rates[name] !== undefined)
}

function pick(rates: NamedRates, names: readonly RateName[]): NamedRates {
  const given = names.filter((name) => rates[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, rates[name]]))
}
