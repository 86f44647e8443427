import type { Usage } from '../../conversation/usage.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Price } from '../../vocabulary/price.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import { applicableRates, type ChargeLine, chargeLines } from './rates.ts'

const TOKENS_PER_QUOTE = 1_000_000
const HALF_QUOTE = 500_000

/**
 * The exact price of a usage at the rates that apply to it, in nano-USDT: token counts times rates are summed exactly and rounded once, half up.
 *
 * Plain numbers are several times as fast as bigints. Every part is a whole number of at least zero, so a sum within the
 * safe range proves that each step on the way to it was exact.
 */
export function priceOf(usage: Usage, price: Price): NanoUsdt {
  if (usage.details !== undefined) return sumLines(chargeLines(usage, price))
  const { input, output, cacheRead, cacheWrite, image } = knownNumbers.get(price) ?? numbersOf(price)
  const tokenParts =
    usage.input * input + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite + usage.output * output
  const rounded = tokenParts + HALF_QUOTE
  const total = (rounded - (rounded % TOKENS_PER_QUOTE)) / TOKENS_PER_QUOTE + usage.images * image
  const isExact = Number.isSafeInteger(rounded) && Number.isSafeInteger(total)
  return isExact ? BigInt(total) : sumLines(chargeLines(usage, price))
}

/** The smallest number that a million tokens and the milliseconds of a minute both divide. */
const PARTS_PER_NANO = 3_000_000n

/** How many parts of a nano-USDT one of a quantity costs for each nano-USDT of its rate. */
const PARTS: Readonly<Record<ChargeLine['per'], bigint>> = {
  million: PARTS_PER_NANO / 1_000_000n,
  minute: PARTS_PER_NANO / 60_000n,
  unit: PARTS_PER_NANO,
}

/** The sum of the lines that `chargeLines` gives. */
function sumLines(lines: readonly ChargeLine[]): NanoUsdt {
  let parts = 0n
  for (const { quantity, rateNano, per } of lines) parts += BigInt(quantity) * rateNano * PARTS[per]
  return (parts + PARTS_PER_NANO / 2n) / PARTS_PER_NANO
}

/** What a route says about money. */
export interface RouteMoney {
  /** What the account pays, before any mark-up. */
  readonly price: Price
  /** What the supplier charges; null when that is the price. */
  readonly cost: Price | null
}

export interface ChargeTerms {
  readonly startedAtMs: number
  readonly markupBasisPoints: number | null
}

export type Charge = Pick<Settlement, 'price' | 'costRates' | 'markupBasisPoints' | 'amountNano' | 'costNano'>

const NO_CHARGE: Charge = {
  price: null,
  costRates: null,
  markupBasisPoints: null,
  amountNano: 0n,
  costNano: 0n,
}

/** What a request costs that used so much of this route; null when no route served it. */
export function chargeFor(usage: Usage, route: RouteMoney | null, terms: ChargeTerms): Charge {
  if (route === null) return NO_CHARGE
  const { startedAtMs, markupBasisPoints } = terms
  let { price, cost: costRates } = route
  if (price.variants !== undefined || costRates?.variants !== undefined) {
    const facts = {
      promptTokens: usage.input + usage.cacheRead + usage.cacheWrite,
      serviceTier: usage.details?.serviceTier ?? null,
      startedAtMs,
    }
    price = applicableRates(price, facts)
    costRates &&= applicableRates(costRates, facts)
  }
  const priceNano = priceOf(usage, price)
  const costNano = costRates === null ? priceNano : priceOf(usage, costRates)
  const amountNano = markupBasisPoints === null ? priceNano : withMarkup(priceNano, markupBasisPoints)
  return { price, costRates, markupBasisPoints, amountNano, costNano }
}

const BASIS_POINTS = 10_000n

/** The price with a mark-up, rounded once, half up. A negative mark-up is a discount. */
export function withMarkup(priceNano: NanoUsdt, markupBasisPoints: number | null): NanoUsdt {
  if (markupBasisPoints === null) return priceNano
  return (priceNano * (BASIS_POINTS + BigInt(markupBasisPoints)) + BASIS_POINTS / 2n) / BASIS_POINTS
}

/** Every rate with the mark-up, so that customers see what they pay. A charge is rounded once, as a whole. */
export function markedUp<Part>(part: Part, basisPoints: number | null): Part {
  if (basisPoints === null) return part
  const marked = (inner: unknown): unknown => {
    if (typeof inner === 'bigint') return withMarkup(inner, basisPoints)
    if (Array.isArray(inner)) return inner.map(marked)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(Object.entries(inner).map(([name, value]) => [name, marked(value)]))
  }
  return marked(part) as Part
}

/** The general rates as plain numbers. */
interface PriceNumbers {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly image: number
}

// Thousands of requests in a row have the same price object.
const knownNumbers = new WeakMap<Price, PriceNumbers>()

function numbersOf(price: Price): PriceNumbers {
  // Other rates need the long way: no sum with NaN is a safe one.
  const { reasoningNanoPerMillion, requestNano, imageRates, variants = [] } = price
  const hasMore = (reasoningNanoPerMillion ?? requestNano ?? imageRates) !== undefined || variants.length > 0
  const numbers = {
    input: hasMore ? Number.NaN : asNumber(price.inputNanoPerMillion),
    output: asNumber(price.outputNanoPerMillion),
    cacheRead: asNumber(price.cacheReadNanoPerMillion),
    cacheWrite: asNumber(price.cacheWriteNanoPerMillion),
    image: asNumber(price.imageNano),
  }
  knownNumbers.set(price, numbers)
  return numbers
}

/** NaN when a number cannot hold the amount exactly: every sum with it is then unsafe. */
function asNumber(nano: NanoUsdt): number {
  return nano >= 0n && nano <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(nano) : Number.NaN
}
