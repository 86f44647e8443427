import type { UsageDetails } from '../../conversation/usage.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Price, PriceVariant, Rates } from '../../vocabulary/price.ts'
import { priceOf, withMarkup } from './charge.ts'
import { applicableRates } from './rates.ts'

// More than nearly every model gives; for models whose limit nobody has entered.
const OUTPUT_TOKENS_WHEN_UNKNOWN = 32_768

/** How far the estimate of a prompt may be off (docs/decisions/0021). */
const PROMPT_MARGIN = 1.15

/**
 * The most that a supplier may count of a prompt. Tokenizers differ by more than the estimate is off: some vendors' take
 * one token for four characters of plain English, for which the estimate follows one that takes fewer.
 */
export function largestPrompt(estimatedTokens: number, tokensByCharacters: number): number {
  return Math.max(Math.ceil(estimatedTokens * PROMPT_MARGIN), tokensByCharacters)
}

export interface HoldBasis {
  /** By the estimate. */
  readonly promptTokens: number
  /** What the supplier may count. */
  readonly maxPromptTokens: number
  readonly maxOutputTokens: number | null
  readonly modelOutputLimit: number | null
  readonly choices: number
  /** Images requested. */
  readonly images: number
  /** Calls of tools that the supplier runs, at most. */
  readonly toolCalls: number
  /** null when the supplier chooses. */
  readonly imageSize?: string | null | undefined
  readonly imageQuality?: string | null | undefined
  /** What else is charged by, at most. */
  readonly units?: UsageDetails | undefined
  readonly startedAtMs: number
  readonly markupBasisPoints: number | null
}

/** The output tokens of one answer at most. */
export function mostOutputTokens({
  maxOutputTokens,
  modelOutputLimit,
}: Pick<HoldBasis, 'maxOutputTokens' | 'modelOutputLimit'>): number {
  const limit = modelOutputLimit ?? maxOutputTokens ?? OUTPUT_TOKENS_WHEN_UNKNOWN
  return Math.min(limit, maxOutputTokens ?? limit)
}

/** The most that a request can cost: at the dearest of these prices, under the dearest conditions that may apply. */
export function holdFor(basis: HoldBasis, routes: readonly { readonly price: Price }[]): NanoUsdt {
  // Suppliers that give one answer per call are called once for each, and read the prompt every time.
  const input = basis.maxPromptTokens * basis.choices
  const output = mostOutputTokens(basis) * basis.choices
  const { images } = basis
  let highest = 0n
  for (const { price } of routes) {
    const rates = dearestOf.get(price) ?? dearestRates(price, basis)
    const tokens = { input, cacheRead: 0, cacheWrite: 0, output, reasoning: 0, images }
    const held = priceOf(basis.units === undefined ? tokens : { ...tokens, details: basis.units }, rates)
    const ofCalls = rates.requestNano === undefined ? 0n : rates.requestNano * BigInt(basis.choices - 1)
    const ofTools = basis.toolCalls === 0 ? 0n : dearestCall(rates) * BigInt(basis.toolCalls * basis.choices)
    const sum = held + ofCalls + ofTools
    if (sum > highest) highest = sum
  }
  return basis.markupBasisPoints === null ? highest : withMarkup(highest, basis.markupBasisPoints)
}

function dearestCall({ webSearchNano = 0n, codeExecutionNano = 0n }: Rates): NanoUsdt {
  return webSearchNano > codeExecutionNano ? webSearchNano : codeExecutionNano
}

/**
 * How many output tokens of each answer an amount pays for. The cost grows in a straight line, or faster where another
 * price becomes the dearest, so a straight line never promises too much.
 */
export function affordableOutput(
  amountNano: NanoUsdt,
  basis: HoldBasis,
  routes: readonly { readonly price: Price }[],
): number {
  const most = mostOutputTokens(basis)
  const without = holdFor({ ...basis, maxOutputTokens: 0 }, routes)
  const spread = holdFor({ ...basis, maxOutputTokens: most }, routes) - without
  if (amountNano < without) return 0
  if (spread === 0n) return most
  const tokens = ((amountNano - without) * BigInt(most)) / spread
  return tokens > BigInt(most) ? most : Number(tokens)
}

type HoldConditions = Pick<
  HoldBasis,
  'promptTokens' | 'maxPromptTokens' | 'startedAtMs' | 'imageSize' | 'imageQuality'
>

// Of prices that are the same for every request.
const dearestOf = new WeakMap<Price, Price>()

/** The highest rates that may apply to a request, as the general ones. */
function dearestRates(price: Price, conditions: HoldConditions): Price {
  const { variants } = price
  if (price.imageRates !== undefined) return dearestOfImages(price, conditions)
  if (variants === undefined || variants.length === 0) {
    const rates = dearest(price)
    dearestOf.set(price, rates)
    return rates
  }
  return highestOf(possibleRates(price, conditions).map(dearest))
}

function dearestOfImages(price: Price, conditions: HoldConditions): Price {
  const each = possibleRates(price, conditions).map((rates) => {
    const { imageRates: _, ...others } = dearest(rates)
    return { ...others, imageNano: dearestImage(rates, conditions) }
  })
  return highestOf(each)
}

function dearestImage({ imageRates = [], imageNano }: Rates, conditions: HoldConditions): NanoUsdt {
  const { imageSize = null, imageQuality = null } = conditions
  let highest = 0n
  for (const rate of imageRates) {
    const isSize = rate.size === null || imageSize === null || rate.size === imageSize
    const isQuality = rate.quality === null || imageQuality === null || rate.quality === imageQuality
    if (!isSize || !isQuality) continue
    if (rate.imageNano > highest) highest = rate.imageNano
    // The first that is sure to match applies; those after it never do.
    const isSure =
      (rate.size === null || imageSize !== null) && (rate.quality === null || imageQuality !== null)
    if (isSure) return highest
  }
  return imageNano > highest ? imageNano : highest
}

/** The rates in every case: which tier will serve is not known, nor is the prompt known exactly. */
function possibleRates(
  price: Price,
  { promptTokens, maxPromptTokens, startedAtMs }: HoldConditions,
): Price[] {
  const tiers = new Set<string | null>([null])
  for (const { when } of price.variants ?? []) tiers.add(when.tier ?? null)
  const sizes = [promptTokens, maxPromptTokens]
  return [...tiers].flatMap((serviceTier) =>
    sizes.map((size) => applicableRates(price, { promptTokens: size, serviceTier, startedAtMs })),
  )
}

/** Every kind of prompt token at the rate of the dearest kind, and likewise every kind of output. */
function dearest(rates: Price): Price {
  const parts: readonly (Rates | PriceVariant)[] = [rates, ...(rates.variants ?? [])]
  return {
    inputNanoPerMillion: maximum(parts.flatMap(promptRates)),
    outputNanoPerMillion: maximum(parts.flatMap(outputRates)),
    cacheReadNanoPerMillion: 0n,
    cacheWriteNanoPerMillion: 0n,
    imageNano: rates.imageNano,
    ...(rates.requestNano !== undefined && { requestNano: rates.requestNano }),
    ...(rates.webSearchNano !== undefined && { webSearchNano: rates.webSearchNano }),
    ...(rates.codeExecutionNano !== undefined && { codeExecutionNano: rates.codeExecutionNano }),
    ...(rates.searchUnitNano !== undefined && { searchUnitNano: rates.searchUnitNano }),
    ...(rates.audioMinuteNano !== undefined && { audioMinuteNano: rates.audioMinuteNano }),
    ...(rates.characterNanoPerMillion !== undefined && {
      characterNanoPerMillion: rates.characterNanoPerMillion,
    }),
  }
}

function promptRates(rates: Rates | PriceVariant): (NanoUsdt | undefined)[] {
  return [
    rates.inputNanoPerMillion,
    rates.cacheWriteNanoPerMillion,
    rates.cacheWrite30mNanoPerMillion,
    rates.cacheWrite1hNanoPerMillion,
    rates.cacheWrite12hNanoPerMillion,
    rates.audioInputNanoPerMillion,
    rates.imageInputNanoPerMillion,
  ]
}

function outputRates(rates: Rates | PriceVariant): (NanoUsdt | undefined)[] {
  return [
    rates.outputNanoPerMillion,
    rates.reasoningNanoPerMillion,
    rates.audioOutputNanoPerMillion,
    rates.imageOutputNanoPerMillion,
  ]
}

function highestOf(cases: readonly Price[]): Price {
  const requestNano = maximum(cases.map((rates) => rates.requestNano))
  return {
    inputNanoPerMillion: maximum(cases.map((rates) => rates.inputNanoPerMillion)),
    outputNanoPerMillion: maximum(cases.map((rates) => rates.outputNanoPerMillion)),
    cacheReadNanoPerMillion: 0n,
    cacheWriteNanoPerMillion: 0n,
    imageNano: maximum(cases.map((rates) => rates.imageNano)),
    ...(requestNano > 0n && { requestNano }),
    webSearchNano: maximum(cases.map((rates) => rates.webSearchNano)),
    codeExecutionNano: maximum(cases.map((rates) => rates.codeExecutionNano)),
    searchUnitNano: maximum(cases.map((rates) => rates.searchUnitNano)),
    audioMinuteNano: maximum(cases.map((rates) => rates.audioMinuteNano)),
    characterNanoPerMillion: maximum(cases.map((rates) => rates.characterNanoPerMillion)),
  }
}

function maximum(amounts: readonly (NanoUsdt | undefined)[]): NanoUsdt {
  let highest = 0n
  for (const amount of amounts) if (amount !== undefined && amount > highest) highest = amount
  return highest
}
