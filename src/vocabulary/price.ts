import { type TSchema, Type } from 'typebox'
import { amount, choice, integer, list, text, time } from './field.ts'
import { Field } from './field-codec.ts'
import type { NanoUsdt } from './money.ts'
import { type Shown, shape, type Value, wireName } from './shape.ts'

/** The service tiers that vendors price apart. What they call standard or default is none of them. */
export const SERVICE_TIERS = ['flex', 'priority', 'fast', 'batch'] as const
export type ServiceTier = (typeof SERVICE_TIERS)[number]

const RATE_PATTERN = '^\\d{1,9}(\\.\\d{1,9})?$'

/** An amount that is never negative. */
function rate() {
  const takes = 'a decimal amount such as 1.25, not negative and with at most 9 decimals'
  const { codec, naming } = amount()
  const input = Type.String({ pattern: RATE_PATTERN, takes })
  return new Field({ ...codec, input }, naming, { has: false, from: null }).example('1.25')
}

/** Whether a field of a request with this schema is a rate. */
export function isRate(schema: TSchema): boolean {
  return 'pattern' in schema && schema.pattern === RATE_PATTERN
}

// Cached prompt tokens without a separate price cost as much as other prompt tokens.
const cacheRate = rate().default(
  (others: { inputNanoPerMillion?: NanoUsdt }) => others.inputNanoPerMillion ?? 0n,
)

export const ImageRate = shape('ImageRate', {
  size: text(50)
    .nullable()
    .default(null)
    .note('Such as 1024x1024; null for every size.')
    .example('1024x1024'),
  quality: text(50).nullable().default(null).note('Such as high; null for every quality.').example('high'),
  imageNano: rate().as('price').example('0.167'),
})

/** Kinds of tokens and units that only some suppliers price apart. A kind without a rate costs what the general kind costs. */
const specialRates = {
  cacheWrite30mNanoPerMillion: rate().as('cache_write_30m').optional(),
  cacheWrite1hNanoPerMillion: rate().as('cache_write_1h').optional(),
  cacheWrite12hNanoPerMillion: rate().as('cache_write_12h').optional(),
  reasoningNanoPerMillion: rate().optional(),
  audioInputNanoPerMillion: rate().optional(),
  audioCacheReadNanoPerMillion: rate().optional(),
  audioOutputNanoPerMillion: rate().optional(),
  imageInputNanoPerMillion: rate().optional(),
  imageCacheReadNanoPerMillion: rate().optional(),
  imageOutputNanoPerMillion: rate().optional(),
  requestNano: rate().optional(),
  webSearchNano: rate().optional(),
  codeExecutionNano: rate().optional(),
  searchUnitNano: rate().note('Per search unit of a rerank supplier.').optional(),
  audioMinuteNano: rate().note('Per minute of audio that is read.').optional(),
  characterNanoPerMillion: rate().note('Per million characters that are spoken.').optional(),
  imageRates: list(ImageRate.field, { max: 100, takes: 'a list of prices by size and quality' })
    .as('images')
    .note('Per image by size and quality. The first that matches applies, else `image`.')
    .optional(),
}

const HOURS = '^([01]\\d|2[0-3]):[0-5]\\d-([01]\\d|2[0-3]):[0-5]\\d$'

/** When a variant applies: all conditions that it names must hold. */
const PriceCondition = shape('PriceCondition', {
  promptAbove: integer({ min: 1 })
    .note(
      'The prompt has more tokens than this, cached ones included. The variant is then for the whole request.',
    )
    .example(272_000)
    .optional(),
  promptPartAbove: integer({ min: 1 })
    .note('The same, but the variant is only for the part of the prompt above this many tokens.')
    .example(200_000)
    .optional(),
  tier: choice(SERVICE_TIERS).note('The service tier that served the request.').optional(),
  hours: text(11, { pattern: HOURS, takes: 'two UTC times of day such as "16:30-00:30"' })
    .note('The request started between these UTC times of day; the second one is not included.')
    .example('16:30-00:30')
    .optional(),
  fromMs: time().note('The request started at this time or later.').optional(),
  untilMs: time().note('The request started before this time.').optional(),
})
export type PriceCondition = Value<typeof PriceCondition>

const PriceVariant = shape('PriceVariant', {
  when: PriceCondition.field.takes('conditions such as {"prompt_above": 200000}'),
  inputNanoPerMillion: rate().optional(),
  outputNanoPerMillion: rate().optional(),
  cacheReadNanoPerMillion: rate().optional(),
  cacheWriteNanoPerMillion: rate().optional(),
  imageNano: rate().optional(),
  ...specialRates,
})
export type PriceVariant = Value<typeof PriceVariant>

// More than any vendor has; each request looks at all of them.
const MAX_VARIANTS = 50

/** Nano-USDT per million tokens or characters; per unit for images, requests, tool calls, search units and minutes. */
export const Price = shape('Price', {
  inputNanoPerMillion: rate().example('1.25'),
  outputNanoPerMillion: rate().example('10'),
  cacheReadNanoPerMillion: cacheRate.example('0.125'),
  cacheWriteNanoPerMillion: cacheRate.example('1.25'),
  imageNano: rate().default(0n).example('0'),
  ...specialRates,
  variants: list(PriceVariant.field, { max: MAX_VARIANTS, takes: 'a list of variants' })
    .note(
      'Rates that differ under conditions. All that match apply in this order; each changes only the rates it names.',
    )
    .optional(),
})
export type Price = Value<typeof Price>

/** Every rate of a price, without its variants. */
export type Rates = Omit<Price, 'variants'>

/** What a rate is for, by its name in JSON, such as `cache_write_1h` or `web_search`. */
export type RateName = Exclude<keyof Shown<typeof Price>, 'images' | 'variants'>

export const RATE_NAMES = Object.entries(Price.fields).flatMap(([name, field]) =>
  field.naming.unit === 'amount' ? [wireName(name, field) as RateName] : [],
)

/** In a request. Image-only models need no token prices. */
export const PricePut = Price.with('PricePut', {
  inputNanoPerMillion: Price.fields.inputNanoPerMillion.omittable(),
  outputNanoPerMillion: Price.fields.outputNanoPerMillion.omittable(),
})
export type PriceSettings = Value<typeof PricePut>

/** A price for JSON, which has no integers beyond 2^53: every amount is a decimal text, and absent rates are left out. */
export type WrittenPrice = Written<Price>
type Written<T> = T extends bigint
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Written<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: Written<T[Name]> }
      : T

export function writePrice(price: Price): WrittenPrice {
  return written(price) as WrittenPrice
}

function written(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return value.map(written)
  if (typeof value !== 'object' || value === null) return value
  const parts: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(value)) if (part !== undefined) parts[name] = written(part)
  return parts
}

export const readPrice: (written: WrittenPrice) => Price = Price.field.codec.revive
