import type { Usage } from '../../conversation/usage.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Price } from '../../vocabulary/supply.ts'

const TOKENS_PER_QUOTE = 1_000_000n
const HALF_QUOTE = TOKENS_PER_QUOTE / 2n

/** What a use costs, to the nano: the buckets are summed exactly and rounded once, half up. */
export function priceOf(usage: Usage, price: Price): NanoUsdt {
  const tokenParts =
    BigInt(usage.input) * price.inputNanoPerMillion +
    BigInt(usage.cacheRead) * price.cacheReadNanoPerMillion +
    BigInt(usage.cacheWrite) * price.cacheWriteNanoPerMillion +
    BigInt(usage.output) * price.outputNanoPerMillion
  return (tokenParts + HALF_QUOTE) / TOKENS_PER_QUOTE + BigInt(usage.images) * price.imageNano
}

// Enough for a long answer; a model's own output limit caps it.
const OUTPUT_TOKENS_HELD_WHEN_UNSET = 4_096

export interface HoldBasis {
  readonly promptTokens: number
  readonly maxOutputTokens: number | null
  readonly modelOutputLimit: number | null
  readonly choices: number
}

/** What to hold at admission so that the request cannot cost more: the dearest of the prices it may be served at. */
export function holdFor(basis: HoldBasis, prices: readonly Price[]): NanoUsdt {
  let dearest = 0n
  for (const price of prices) {
    const held = priceOf(worstCaseUsage(basis, price), price)
    if (held > dearest) dearest = held
  }
  return dearest
}

function worstCaseUsage(basis: HoldBasis, price: Price): Usage {
  const output = heldOutputTokens(basis) * basis.choices
  // A prompt may be written to the supplier's cache whole, which can cost more than reading it plainly.
  const isWriteDearer = price.cacheWriteNanoPerMillion > price.inputNanoPerMillion
  // A supplier that gives one answer at a time is asked once for each, and reads the prompt every time.
  const prompt = basis.promptTokens * basis.choices
  return {
    input: isWriteDearer ? 0 : prompt,
    cacheRead: 0,
    cacheWrite: isWriteDearer ? prompt : 0,
    output,
    reasoning: 0,
    images: 0,
  }
}

function heldOutputTokens(basis: HoldBasis): number {
  const asked = basis.maxOutputTokens ?? OUTPUT_TOKENS_HELD_WHEN_UNSET
  return basis.modelOutputLimit === null ? asked : Math.min(asked, basis.modelOutputLimit)
}
