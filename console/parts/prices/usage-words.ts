import type { Settlement } from '../../api/wire.ts'
import { countTokens, formatDuration, formatNumber } from '../text/format.ts'
import { rateLabel } from './price-words.ts'

type Usage = Settlement['usage']

export interface UsageWords {
  readonly label: string
  readonly value: string
}

/** What a request used, by the unit it is sold in: `Tokens 12 → 30`, `Audio 12.4 s`. */
export function describeUsage(usage: Usage): UsageWords {
  const unit = unitOf(usage)
  if (unit !== null) return { label: unit.label, value: unit.value }
  const prompt = usage.input + usage.cache_read + usage.cache_write
  return { label: 'Tokens', value: `${formatNumber(prompt)} → ${formatNumber(usage.output)}` }
}

/** The same for a table: `12 → 30`, `2 images`, `12.4 s of audio`. */
export function summarizeUsage(usage: Usage): string {
  return unitOf(usage)?.words ?? describeUsage(usage).value
}

/** The same for a card, with all tokens in one number. */
export function countUsage(usage: Usage): UsageWords {
  const unit = unitOf(usage)
  if (unit !== null) return { label: unit.label, value: unit.value }
  return { label: 'Tokens', value: formatNumber(countTokens(usage)) }
}

interface UnitUsage extends UsageWords {
  readonly words: string
}

function unitOf({ images, details = {} }: Usage): UnitUsage | null {
  if (images > 0) return counted('Images', 'image', images)
  if ((details.search_units ?? 0) > 0) return counted('Search units', 'search unit', details.search_units)
  if ((details.characters ?? 0) > 0) return counted('Characters', 'character', details.characters)
  if ((details.audio_ms ?? 0) === 0) return null
  const value = formatDuration(details.audio_ms ?? 0)
  return { label: 'Audio', value, words: `${value} of audio` }
}

function counted(label: string, noun: string, count = 0): UnitUsage {
  const value = formatNumber(count)
  return { label, value, words: `${value} ${noun}${count === 1 ? '' : 's'}` }
}

/** Every count of a request. Tokens are left out of a request that used none, but something else. */
export function listUsage(usage: Usage): UsageWords[] {
  const tokens = [
    { label: 'Input', value: formatNumber(usage.input) },
    { label: 'Cache read', value: formatNumber(usage.cache_read) },
    { label: 'Cache write', value: formatNumber(usage.cache_write) },
    { label: 'Output', value: formatNumber(usage.output) },
    { label: 'Thinking (in output)', value: formatNumber(usage.reasoning) },
  ]
  return [
    ...(countTokens(usage) > 0 || unitOf(usage) === null ? tokens : []),
    ...(usage.images > 0 ? [{ label: 'Images', value: formatNumber(usage.images) }] : []),
    ...Object.entries(usage.details ?? {}).flatMap(([name, value]) => listDetail(name, value)),
  ]
}

/** A part of the counts that may have a price of its own, a tool call, or the service tier. */
function listDetail(name: string, value: number | string | boolean | undefined): UsageWords[] {
  if (typeof value === 'boolean' || value === undefined) return []
  if (name === 'audio_ms') return [{ label: 'Audio', value: formatDuration(Number(value)) }]
  return [{ label: rateLabel(name), value: typeof value === 'number' ? formatNumber(value) : value }]
}

type Line = Settlement['lines'][number]

/** The quantity of a line as it is multiplied: milliseconds as seconds, without rounding. */
export function lineQuantity({ quantity, per }: Pick<Line, 'quantity' | 'per'>): string {
  return per === 'minute' ? `${quantity / 1_000} s` : formatNumber(quantity)
}

const PER: Readonly<Record<Line['per'], string>> = {
  million: 'per million',
  unit: 'each',
  minute: 'a minute',
}

export function linePer({ per }: Pick<Line, 'per'>): string {
  return PER[per]
}
