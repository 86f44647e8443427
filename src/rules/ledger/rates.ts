import type { Usage, UsageDetails } from '../../conversation/usage.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Price, PriceCondition, PriceVariant, Rates } from '../../vocabulary/price.ts'

/** What the price of a request depends on. */
export interface PriceFacts {
  /** The whole prompt, cached tokens included. */
  readonly promptTokens: number
  readonly serviceTier: string | null
  readonly startedAtMs: number
}

/**
 * The rates for one request: the price with the variants that match. Only variants for a part of the prompt stay
 * variants. The same matches give the same object, so that what is derived from it can be cached.
 */
export function applicableRates(price: Price, facts: PriceFacts): Price {
  const { variants } = price
  if (variants === undefined || variants.length === 0) return price
  let matches = ''
  for (const [index, { when }] of variants.entries()) if (doesMatch(when, facts)) matches += `${index} `
  const known = resolved.get(price)?.get(matches)
  return known ?? resolve(price, matches)
}

const resolved = new WeakMap<Price, Map<string, Price>>()

function resolve(price: Price, matches: string): Price {
  const { variants = [], ...base } = price
  const matching = matches
    .split(' ')
    .flatMap((index) => (index === '' ? [] : (variants[Number(index)] ?? [])))
  let rates: Rates = base
  const parts: PriceVariant[] = []
  for (const variant of matching) {
    if (variant.when.promptPartAbove === undefined) rates = override(rates, variant)
    // The other conditions have been checked and are no longer of interest.
    else parts.push({ ...variant, when: { promptPartAbove: variant.when.promptPartAbove } })
  }
  const made: Price = parts.length === 0 ? rates : { ...rates, variants: parts }
  const ofPrice = resolved.get(price) ?? new Map<string, Price>()
  ofPrice.set(matches, made)
  resolved.set(price, ofPrice)
  return made
}

function override(rates: Rates, { when: _, ...named }: PriceVariant): Rates {
  const given = Object.entries(named).filter(([, value]) => value !== undefined)
  return { ...rates, ...Object.fromEntries(given) }
}

function doesMatch(when: PriceCondition, { promptTokens, serviceTier, startedAtMs }: PriceFacts): boolean {
  if (when.promptAbove !== undefined && promptTokens <= when.promptAbove) return false
  if (when.promptPartAbove !== undefined && promptTokens <= when.promptPartAbove) return false
  if (when.tier !== undefined && when.tier !== serviceTier) return false
  if (when.fromMs !== undefined && startedAtMs < when.fromMs) return false
  if (when.untilMs !== undefined && startedAtMs >= when.untilMs) return false
  return when.hours === undefined || isWithinHours(when.hours, startedAtMs)
}

const MINUTES_PER_DAY = 1_440

/** `hours` is `HH:MM-HH:MM` in UTC. It may span midnight; two equal times are the whole day. */
function isWithinHours(hours: string, atMs: number): boolean {
  const start = Number(hours.slice(0, 2)) * 60 + Number(hours.slice(3, 5))
  const end = Number(hours.slice(6, 8)) * 60 + Number(hours.slice(9, 11))
  const minute = Math.floor(atMs / 60_000) % MINUTES_PER_DAY
  return start < end ? minute >= start && minute < end : minute >= start || minute < end
}

/** Every kind of token with a rate, and the kind whose rate it has when it has none of its own. */
export const GENERAL_KIND = {
  cacheRead: null,
  audioCacheRead: 'cacheRead',
  imageCacheRead: 'cacheRead',
  cacheWrite: null,
  cacheWrite30m: 'cacheWrite',
  cacheWrite1h: 'cacheWrite',
  cacheWrite12h: 'cacheWrite',
  input: null,
  imageInput: 'input',
  audioInput: 'input',
  output: null,
  reasoning: 'output',
  imageOutput: 'output',
  audioOutput: 'output',
} as const
export type TokenKind = keyof typeof GENERAL_KIND

const TOKEN_KINDS = Object.keys(GENERAL_KIND) as readonly TokenKind[]
/** In this order the prompt is taken to consist of them: what is cached is its beginning. */
const PROMPT_KINDS = TOKEN_KINDS.slice(0, TOKEN_KINDS.indexOf('output'))

type TokenCounts = Record<TokenKind, number>

/** One line of a bill: so many of something at that rate. */
export interface ChargeLine {
  readonly item:
    | TokenKind
    | 'character'
    | 'request'
    | 'image'
    | 'webSearch'
    | 'codeExecution'
    | 'searchUnit'
    | 'audioMinute'
  /** Milliseconds where the rate is for a minute. */
  readonly quantity: number
  readonly rateNano: NanoUsdt
  /** What the rate is for: a million tokens or characters, one unit, or a minute. */
  readonly per: 'million' | 'unit' | 'minute'
  /** The line is for the part of the prompt above this many tokens. */
  readonly promptPartAbove?: number
}

/** What is charged for a usage at rates that apply to it, line by line. Kinds without a rate of their own are not told apart. */
export function chargeLines(usage: Usage, price: Price): ChargeLine[] {
  return [...tokenLines(usage, price), ...unitLines(usage, price)]
}

function tokenLines(usage: Usage, price: Price): ChargeLine[] {
  const parts = [...(price.variants ?? [])].sort((one, other) => partStart(one) - partStart(other))
  const counts = countTokens(usage)
  const [first] = parts
  const lines = linesOf(takeBelow(counts, first === undefined ? null : partStart(first)), price)
  for (const [index, variant] of parts.entries()) {
    const promptPartAbove = partStart(variant)
    const following = parts[index + 1]
    const taken = takeBelow(counts, following === undefined ? null : partStart(following) - promptPartAbove)
    const ofPrompt = { ...taken, output: 0, reasoning: 0, imageOutput: 0, audioOutput: 0 }
    for (const line of linesOf(ofPrompt, override(price, variant))) lines.push({ ...line, promptPartAbove })
  }
  return lines
}

function partStart({ when }: PriceVariant): number {
  return when.promptPartAbove ?? 0
}

/** Takes this many tokens from the beginning of the prompt, or all of them, and all of the output. */
function takeBelow(counts: TokenCounts, limit: number | null): TokenCounts {
  const taken = { ...counts }
  let room = limit ?? Number.POSITIVE_INFINITY
  for (const kind of PROMPT_KINDS) {
    taken[kind] = Math.min(room, counts[kind])
    room -= taken[kind]
    counts[kind] -= taken[kind]
  }
  return taken
}

function linesOf(counts: TokenCounts, rates: Rates): ChargeLine[] {
  const sums = new Map<TokenKind, number>()
  for (const kind of TOKEN_KINDS) {
    if (counts[kind] === 0) continue
    const priced = isPricedApart(rates, kind) ? kind : (GENERAL_KIND[kind] ?? kind)
    sums.set(priced, (sums.get(priced) ?? 0) + counts[kind])
  }
  const lines = [...sums].map(([item, quantity]): ChargeLine => {
    return { item, quantity, rateNano: rates[`${item}NanoPerMillion`] ?? 0n, per: 'million' }
  })
  return lines
}

function isPricedApart(rates: Rates, kind: TokenKind): boolean {
  return rates[`${kind}NanoPerMillion`] !== undefined
}

/** Each token once. A report whose parts are larger than the whole loses the excess. */
function countTokens(usage: Usage): TokenCounts {
  const { details = {} } = usage
  const read = split(usage.cacheRead, [details.audioCacheRead, details.imageCacheRead])
  const write = split(usage.cacheWrite, [details.cacheWrite30m, details.cacheWrite1h, details.cacheWrite12h])
  const input = split(usage.input, [details.imageInput, details.audioInput])
  const output = split(usage.output, [usage.reasoning, details.imageOutput, details.audioOutput])
  return {
    cacheRead: read.rest,
    audioCacheRead: read.parts[0] ?? 0,
    imageCacheRead: read.parts[1] ?? 0,
    cacheWrite: write.rest,
    cacheWrite30m: write.parts[0] ?? 0,
    cacheWrite1h: write.parts[1] ?? 0,
    cacheWrite12h: write.parts[2] ?? 0,
    input: input.rest,
    imageInput: input.parts[0] ?? 0,
    audioInput: input.parts[1] ?? 0,
    output: output.rest,
    reasoning: output.parts[0] ?? 0,
    imageOutput: output.parts[1] ?? 0,
    audioOutput: output.parts[2] ?? 0,
  }
}

function split(whole: number, sizes: readonly (number | undefined)[]): { rest: number; parts: number[] } {
  let rest = whole
  const parts = sizes.map((size = 0) => {
    const part = Math.min(rest, size)
    rest -= part
    return part
  })
  return { rest, parts }
}

function unitLines({ images, details = {} }: Usage, price: Rates): ChargeLine[] {
  const lines: ChargeLine[] = []
  const add = (line: Omit<ChargeLine, 'rateNano'>, rateNano: NanoUsdt | undefined) => {
    if (line.quantity > 0 && rateNano !== undefined) lines.push({ ...line, rateNano })
  }
  const { webSearches = 0, codeExecutions = 0, searchUnits = 0, audioMs = 0, characters = 0 } = details
  add({ item: 'request', quantity: 1, per: 'unit' }, price.requestNano)
  add({ item: 'image', quantity: images, per: 'unit' }, imageRate(price, details))
  add({ item: 'webSearch', quantity: webSearches, per: 'unit' }, price.webSearchNano)
  add({ item: 'codeExecution', quantity: codeExecutions, per: 'unit' }, price.codeExecutionNano)
  add({ item: 'searchUnit', quantity: searchUnits, per: 'unit' }, price.searchUnitNano)
  add({ item: 'audioMinute', quantity: audioMs, per: 'minute' }, price.audioMinuteNano)
  add({ item: 'character', quantity: characters, per: 'million' }, price.characterNanoPerMillion)
  return lines
}

function imageRate(
  { imageRates = [], imageNano }: Rates,
  { imageSize, imageQuality }: UsageDetails,
): NanoUsdt {
  const found = imageRates.find(
    ({ size, quality }) =>
      (size === null || size === imageSize) && (quality === null || quality === imageQuality),
  )
  return found?.imageNano ?? imageNano
}
