import type { RateName } from '../../../src/vocabulary/price.ts'
import type { ModelKind } from '../../../src/vocabulary/supply.ts'
import type { Price, PriceVariant } from '../../api/wire.ts'
import { readNano } from '../text/exact-amount.ts'
import { capitalize, formatMoney, formatNumber } from '../text/format.ts'

export type PriceCondition = PriceVariant['when']

/** What an amount is for, where it is neither a million tokens nor one of what the rate is named after. */
const UNITS: Readonly<Record<string, { readonly counted: string; readonly unit: string }>> = {
  audio_minute: { counted: 'Audio', unit: 'minute of audio' },
  character: { counted: 'Characters', unit: 'million characters' },
}

/** What is counted: `cache_write_1h` → `Cache write 1h`, `audio_minute` → `Audio`. */
export function rateLabel(name: string): string {
  return UNITS[name]?.counted ?? capitalize(name.replaceAll('_', ' '))
}

/** What an amount is for: `search unit`, `minute of audio`, `million characters`; null for a million tokens. */
export function rateUnit({ name, per }: { readonly name: string; readonly per: string }): string | null {
  return UNITS[name]?.unit ?? (per === 'million' ? null : name.replaceAll('_', ' '))
}

/** The rates by which models of these kinds are usually sold, besides tokens. */
const USUAL_RATES: Readonly<Partial<Record<ModelKind, readonly RateName[]>>> = {
  rerank: ['search_unit'],
  transcription: ['audio_minute', 'audio_input'],
  speech: ['character', 'audio_output'],
}

export function usualRates(kinds: readonly ModelKind[]): readonly RateName[] {
  return kinds.flatMap((kind) => USUAL_RATES[kind] ?? [])
}

export interface UnitPrice {
  readonly amount: string
  /** `image`, `search unit`, `minute of audio`. */
  readonly unit: string
}

/** The price of a model that is not sold by tokens; null for others. */
export function unitPriceOf(price: Price): UnitPrice | null {
  if (Number(price.input) > 0 || Number(price.output) > 0) return null
  const name = (['image', 'search_unit', 'audio_minute', 'character', 'request'] as const).find(
    (each) => Number(price[each] ?? 0) > 0,
  )
  if (name === undefined) return null
  return { amount: price[name] ?? '0', unit: rateUnit({ name, per: 'unit' }) ?? name }
}

/** `From 1 Jan 2027, above 200,000 tokens: input 4.00, output 18.00`. */
export function describeVariant({ when, ...rates }: PriceVariant): string {
  const changes = describeRates(rates)
  return `${describeCondition(when)}: ${changes === '' ? 'no other rates' : changes}`
}

export function describeCondition(when: PriceCondition): string {
  const parts = [
    when.from !== undefined && `from ${describeDay(when.from)}`,
    when.until !== undefined && `until ${describeDay(when.until)}`,
    when.hours !== undefined && `${when.hours.replace('-', '–')} UTC`,
    when.tier !== undefined && `${when.tier} tier`,
    when.prompt_above !== undefined && `above ${formatNumber(when.prompt_above)} tokens`,
    when.prompt_part_above !== undefined &&
      `for the part above ${formatNumber(when.prompt_part_above)} tokens`,
  ].filter((part) => part !== false)
  return capitalize(parts.join(', ') || 'always')
}

function describeRates({ images = [], ...rates }: Omit<PriceVariant, 'when'>): string {
  const named = Object.entries(rates).map(([name, amount = '']) => `${rateWords(name)} ${exact(amount)}`)
  return [...named, ...images.map((rate) => `${describeImage(rate)} ${exact(rate.price)}`)].join(', ')
}

function rateWords(name: string): string {
  const unit = UNITS[name]?.unit
  return unit === undefined ? name.replaceAll('_', ' ') : `per ${unit}`
}

/** A form also describes what is still being typed, which may be no amount yet. */
function exact(amount: string): string {
  return readNano(amount) === null ? amount : formatMoney(amount, { isExact: true })
}

type ImageRate = NonNullable<Price['images']>[number]

/** `image 1024x1024 high quality`. */
export function describeImage({ size, quality }: Pick<ImageRate, 'size' | 'quality'>): string {
  return ['image', size, quality && `${quality} quality`].filter(Boolean).join(' ')
}

const utcDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** `1 Jan 2027`, or `1 Jan 2027 16:30 UTC` in the middle of a day. */
export function describeDay(at: string): string {
  const time = new Date(at)
  const clock = time.toISOString().slice(11, 16)
  return clock === '00:00' ? utcDate.format(time) : `${utcDate.format(time)} ${clock} UTC`
}

/** Whether the dates of a variant are still to come, or over. */
export function phaseOf({ from, until }: PriceCondition, nowMs: number): 'scheduled' | 'ended' | null {
  if (until !== undefined && Date.parse(until) <= nowMs) return 'ended'
  return from !== undefined && Date.parse(from) > nowMs ? 'scheduled' : null
}

/** `mark-up of 10%`, or `discount of 10%`. */
export function describeMarkup(percent: number): string {
  return percent < 0 ? `discount of ${-percent}%` : `mark-up of ${percent}%`
}
