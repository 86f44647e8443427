import { NO_USAGE, type Usage, type UsageProvenance } from '../../conversation/usage.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Price } from '../../vocabulary/price.ts'
import type { Outcome, Settlement } from '../../vocabulary/settlement.ts'
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

const TOKENS_PER_RATE = 1_000_000n

/** The sum of the lines that `chargeLines` gives. */
function sumLines(lines: readonly ChargeLine[]): NanoUsdt {
  let tokenParts = 0n
  let unitParts = 0n
  for (const { quantity, rateNano, per } of lines) {
    if (per === 'million') tokenParts += BigInt(quantity) * rateNano
    else unitParts += BigInt(quantity) * rateNano
  }
  return (tokenParts + TOKENS_PER_RATE / 2n) / TOKENS_PER_RATE + unitParts
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
  const facts = {
    promptTokens: usage.input + usage.cacheRead + usage.cacheWrite,
    serviceTier: usage.details?.serviceTier ?? null,
    startedAtMs,
  }
  const price = applicableRates(route.price, facts)
  const costRates = route.cost && applicableRates(route.cost, facts)
  const priceNano = priceOf(usage, price)
  const costNano = costRates === null ? priceNano : priceOf(usage, costRates)
  return {
    price,
    costRates,
    markupBasisPoints,
    amountNano: withMarkup(priceNano, markupBasisPoints),
    costNano,
  }
}

const BASIS_POINTS = 10_000n

/** The price with a mark-up, rounded once, half up. A negative mark-up is a discount. */
export function withMarkup(priceNano: NanoUsdt, markupBasisPoints: number | null): NanoUsdt {
  if (markupBasisPoints === null) return priceNano
  return (priceNano * (BASIS_POINTS + BigInt(markupBasisPoints)) + BASIS_POINTS / 2n) / BASIS_POINTS
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

// Enough for a long answer; a model's own output limit caps it.
const OUTPUT_TOKENS_HELD_WHEN_UNSET = 4_096

export interface HoldBasis {
  readonly promptTokens: number
  readonly maxOutputTokens: number | null
  readonly modelOutputLimit: number | null
  readonly choices: number
  /** Images requested. */
  readonly images: number
}

/** The amount to hold at admission: the highest cost over the prices of all usable routes. */
export function holdFor(basis: HoldBasis, routes: readonly { readonly price: Price }[]): NanoUsdt {
  const { choices, images, maxOutputTokens, modelOutputLimit } = basis
  const outputTokens = maxOutputTokens ?? OUTPUT_TOKENS_HELD_WHEN_UNSET
  const output = Math.min(outputTokens, modelOutputLimit ?? outputTokens) * choices
  // Suppliers that give one answer per call are called once for each, and read the prompt every time.
  const prompt = basis.promptTokens * choices
  let highest = 0n
  for (const { price } of routes) {
    // The supplier may write the whole prompt to its cache, which can cost more than reading it plainly.
    const isWriteDearer = price.cacheWriteNanoPerMillion > price.inputNanoPerMillion
    const input = isWriteDearer ? 0 : prompt
    const cacheWrite = isWriteDearer ? prompt : 0
    const held = priceOf({ input, cacheRead: 0, cacheWrite, output, reasoning: 0, images }, price)
    if (held > highest) highest = held
  }
  return highest
}

/** What is known about a request when it ends. */
export interface RequestEnd {
  readonly outcome: Outcome
  /** Whether any of the answer reached the client. */
  readonly hasDelivered: boolean
  /** The usage that the supplier reported. */
  readonly reported: Usage | null
  /** Our own count of what was delivered. */
  readonly countedOutputTokens: number
  /** The estimate made at arrival. */
  readonly estimatedPromptTokens: number
  /** Images delivered; absent for text requests. */
  readonly countedImages?: number | undefined
}

export interface Metering {
  readonly usage: Usage
  readonly provenance: UsageProvenance
}

// More than any request can use. Larger reports are wrong, and their price could overflow the column.
const MAX_TOKENS = 2_000_000_000

/** Decides which usage to charge, from the outcome, what was delivered and what the supplier reported. */
export function meter(ending: RequestEnd): Metering {
  if (!ending.hasDelivered) return { usage: NO_USAGE, provenance: 'estimated' }
  const { reported } = ending
  const isPossible =
    reported !== null &&
    reported.input <= MAX_TOKENS &&
    reported.cacheRead <= MAX_TOKENS &&
    reported.cacheWrite <= MAX_TOKENS &&
    reported.output <= MAX_TOKENS
  if (!isPossible) return { usage: countedUsage(ending), provenance: 'counted' }
  // Without tokens only the number of images is known, and that is our own count.
  if (ending.countedImages !== undefined && reported.input + reported.output === 0)
    return { usage: reported, provenance: 'counted' }
  if (ending.outcome === 'completed' || reported.output >= ending.countedOutputTokens) {
    return { usage: reported, provenance: 'supplier' }
  }
  // The report of an interrupted answer may be outdated; charge at least what was delivered.
  return { usage: { ...reported, output: ending.countedOutputTokens }, provenance: 'counted' }
}

/** Image answers are counted in images, because only the supplier knows how many tokens they took. */
function countedUsage(ending: RequestEnd): Usage {
  if (ending.countedImages !== undefined) return { ...NO_USAGE, images: ending.countedImages }
  return { ...NO_USAGE, input: ending.estimatedPromptTokens, output: ending.countedOutputTokens }
}
