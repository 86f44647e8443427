import type { ConditionalPrice, ModelPrice, TieredPrices } from '@pydantic/genai-prices'
import { replaceWhere } from '../../rules/ledger/combine-prices.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Price, PriceCondition, PriceVariant, Rates } from '../../vocabulary/price.ts'

type RateName = Exclude<keyof Rates, 'imageRates'>

/** Where a route keeps what the list calls so. Names that end in `kcount` are for a thousand. */
const RATE_OF: Readonly<Record<string, RateName>> = {
  input_mtok: 'inputNanoPerMillion',
  output_mtok: 'outputNanoPerMillion',
  cache_read_mtok: 'cacheReadNanoPerMillion',
  cache_write_mtok: 'cacheWriteNanoPerMillion',
  cache_write_1h_mtok: 'cacheWrite1hNanoPerMillion',
  output_reasoning_mtok: 'reasoningNanoPerMillion',
  input_audio_mtok: 'audioInputNanoPerMillion',
  cache_audio_read_mtok: 'audioCacheReadNanoPerMillion',
  output_audio_mtok: 'audioOutputNanoPerMillion',
  input_image_mtok: 'imageInputNanoPerMillion',
  cache_image_read_mtok: 'imageCacheReadNanoPerMillion',
  output_image_mtok: 'imageOutputNanoPerMillion',
  requests_kcount: 'requestNano',
  web_searches_kcount: 'webSearchNano',
}

export interface ConvertedPrice {
  readonly price: Price
  /** What the list prices and a route cannot. */
  readonly leftOut: readonly string[]
}

/** The price of a route for a price of the list; null when it is not by tokens, or has a condition that routes have not. */
export function convertPrice(listed: readonly ConditionalPrice[] | ModelPrice): ConvertedPrice | null {
  const entries: readonly ConditionalPrice[] = isList(listed) ? listed : [{ prices: listed }]
  let price: Price | null = null
  for (const { prices, constraint } of entries) {
    const whole = convertOne(prices)
    const condition = convertConstraint(constraint)
    if (whole === null || condition === null) return null
    // The list takes the last that matches as a whole.
    price = price === null || constraint === undefined ? whole : replaceWhere(price, whole, condition)
  }
  if (price === null) return null
  const names = entries.flatMap(({ prices }) => Object.keys(prices))
  return { price, leftOut: [...new Set(names.filter((name) => RATE_OF[name] === undefined))].sort() }
}

function isList(listed: readonly ConditionalPrice[] | ModelPrice): listed is readonly ConditionalPrice[] {
  return Array.isArray(listed)
}

/** A tier is for the whole request when the prompt has more tokens than its start. */
function convertOne(listed: ModelPrice): Price | null {
  const rates: Partial<Record<RateName, NanoUsdt>> = {}
  const tiers = new Map<number, Partial<Record<RateName, NanoUsdt>>>()
  for (const [name, value] of Object.entries(listed)) {
    const rate = RATE_OF[name]
    if (rate === undefined || value === undefined) continue
    const perThousand = name.endsWith('_kcount')
    rates[rate] = toNano(isTiered(value) ? value.base : value, perThousand)
    for (const { start, price } of isTiered(value) ? value.tiers : []) {
      tiers.set(start, { ...tiers.get(start), [rate]: toNano(price, perThousand) })
    }
  }
  const { inputNanoPerMillion: input, outputNanoPerMillion: output } = rates
  if (input === undefined && output === undefined) return null
  const variants = [...tiers]
    .sort(([one], [other]) => one - other)
    .map(([promptAbove, named]): PriceVariant => ({ when: { promptAbove }, ...withCacheRates(named, rates) }))
  return {
    imageNano: 0n,
    cacheReadNanoPerMillion: input ?? 0n,
    cacheWriteNanoPerMillion: input ?? 0n,
    ...rates,
    inputNanoPerMillion: input ?? 0n,
    outputNanoPerMillion: output ?? 0n,
    ...(variants.length > 0 && { variants }),
  }
}

/** Cached tokens that are not priced apart cost as much as others, above a threshold too. */
function withCacheRates(
  named: Partial<Record<RateName, NanoUsdt>>,
  rates: Partial<Record<RateName, NanoUsdt>>,
): Partial<Record<RateName, NanoUsdt>> {
  const input = named.inputNanoPerMillion
  if (input === undefined) return named
  return {
    ...(rates.cacheReadNanoPerMillion === undefined && { cacheReadNanoPerMillion: input }),
    ...(rates.cacheWriteNanoPerMillion === undefined && { cacheWriteNanoPerMillion: input }),
    ...named,
  }
}

function isTiered(value: number | TieredPrices): value is TieredPrices {
  return typeof value === 'object'
}

/** The list has floats of a few decimals; nano-USDT hold them exactly. */
function toNano(usd: number, perThousand: boolean): NanoUsdt {
  return BigInt(Math.round(usd * (perThousand ? 1e6 : 1e9)))
}

/** Null when routes cannot tell it. */
function convertConstraint(constraint: ConditionalPrice['constraint']): PriceCondition | null {
  if (constraint === undefined) return {}
  if (constraint.type === 'start_date') return { fromMs: Date.parse(`${constraint.start_date}T00:00:00Z`) }
  const start = minuteOfDay(constraint.start_time)
  const end = minuteOfDay(constraint.end_time)
  if (start === null || end === null || start === end) return null
  return { hours: `${clockTime(start)}-${clockTime(end)}` }
}

const MINUTES_PER_DAY = 1_440

/** Of `01:00:00Z` or `09:00:00+08:00`, in UTC; null for one that is not a whole minute. */
function minuteOfDay(time: string): number | null {
  const match = /^(\d\d):(\d\d):00(?:Z|([+-])(\d\d):(\d\d))$/.exec(time)
  if (match === null) return null
  const [, hours, minutes, sign, offsetHours = '0', offsetMinutes = '0'] = match
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1)
  return (Number(hours) * 60 + Number(minutes) - offset + MINUTES_PER_DAY) % MINUTES_PER_DAY
}

function clockTime(minute: number): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}
