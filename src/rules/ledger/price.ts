import type { Usage } from '../../conversation/usage.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Price } from '../../vocabulary/supply.ts'

const TOKENS_PER_QUOTE = 1_000_000
const HALF_QUOTE = 500_000

/** The exact price of a usage in nano-USDT: buckets are summed exactly and rounded once, half up. */
export function priceOf(usage: Usage, price: Price): NanoUsdt {
  return priceInNumbers(usage, price) ?? priceInBigints(usage, price)
}

function priceInBigints(usage: Usage, price: Price): NanoUsdt {
  const tokenParts =
    BigInt(usage.input) * price.inputNanoPerMillion +
    BigInt(usage.cacheRead) * price.cacheReadNanoPerMillion +
    BigInt(usage.cacheWrite) * price.cacheWriteNanoPerMillion +
    BigInt(usage.output) * price.outputNanoPerMillion
  return (tokenParts + BigInt(HALF_QUOTE)) / BigInt(TOKENS_PER_QUOTE) + BigInt(usage.images) * price.imageNano
}

/**
 * The same sum in plain numbers, several times as fast; null when it may be too large for them. Every part is a whole
 * number of at least zero, so a sum within the safe range proves that each step on the way to it was exact.
 */
function priceInNumbers(usage: Usage, price: Price): NanoUsdt | null {
  const { input, output, cacheRead, cacheWrite, image } = numbersOf(price)
  const tokenParts =
    usage.input * input + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite + usage.output * output
  const rounded = tokenParts + HALF_QUOTE
  const total = (rounded - (rounded % TOKENS_PER_QUOTE)) / TOKENS_PER_QUOTE + usage.images * image
  return Number.isSafeInteger(rounded) && Number.isSafeInteger(total) ? BigInt(total) : null
}

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
  const known = knownNumbers.get(price)
  if (known !== undefined) return known
  const numbers = {
    input: asNumber(price.inputNanoPerMillion),
    output: asNumber(price.outputNanoPerMillion),
    cacheRead: asNumber(price.cacheReadNanoPerMillion),
    cacheWrite: asNumber(price.cacheWriteNanoPerMillion),
    image: asNumber(price.imageNano),
  }
  knownNumbers.set(price, numbers)
  return numbers
}

/** NaN, which makes every sum it is part of unsafe, for what no number holds exactly. */
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
  let dearest = 0n
  for (const { price } of routes) {
    const held = priceOf(worstCaseUsage(basis, price), price)
    if (held > dearest) dearest = held
  }
  return dearest
}

function worstCaseUsage(basis: HoldBasis, price: Price): Usage {
  const output = heldOutputTokens(basis) * basis.choices
  // A prompt may be written to the supplier's cache whole, which can cost more than reading it plainly.
  const isWriteDearer = price.cacheWriteNanoPerMillion > price.inputNanoPerMillion
  // Suppliers that give one answer per call are called once for each, and read the prompt every time.
  const prompt = basis.promptTokens * basis.choices
  return {
    input: isWriteDearer ? 0 : prompt,
    cacheRead: 0,
    cacheWrite: isWriteDearer ? prompt : 0,
    output,
    reasoning: 0,
    images: basis.images,
  }
}

function heldOutputTokens(basis: HoldBasis): number {
  const asked = basis.maxOutputTokens ?? OUTPUT_TOKENS_HELD_WHEN_UNSET
  return basis.modelOutputLimit === null ? asked : Math.min(asked, basis.modelOutputLimit)
}
