import type { Price, PriceVariant } from '../../api/wire.ts'
import { readNano } from '../text/exact-amount.ts'
import { formatMoney, formatNumber } from '../text/format.ts'

export type PriceCondition = PriceVariant['when']

/** `cache_write_1h` → `Cache write 1h`. */
export function rateLabel(name: string): string {
  return capitalize(name.replaceAll('_', ' '))
}

export function capitalize(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
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
  const named = Object.entries(rates).map(
    ([name, amount = '']) => `${name.replaceAll('_', ' ')} ${exact(amount)}`,
  )
  return [...named, ...images.map((rate) => `${describeImage(rate)} ${exact(rate.price)}`)].join(', ')
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
