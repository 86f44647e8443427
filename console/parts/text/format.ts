/** Formats numbers, amounts and times. Amounts stay strings, because floats are not exact. */

const SMALLEST_SHOWN_DIGITS = 3
const USUAL_DECIMALS = 2

export interface MoneyFormat {
  /** Shows every digit the amount has. */
  readonly isExact?: boolean
}

/**
 * `1234.5` → `1,234.50`, `0.01498` → `0.015`, `0.000123456` → `0.000123`: two decimals, and as many as three significant
 * digits need.
 */
export function formatMoney(amount: string, { isExact = false }: MoneyFormat = {}): string {
  const isNegative = amount.startsWith('-')
  const [whole = '0', fraction = ''] = amount.replace(/^[-+]/, '').split('.')
  const decimals = isExact ? Math.max(USUAL_DECIMALS, fraction.length) : decimalsShown(whole, fraction)
  const digits = roundDecimal(whole, fraction, decimals)
  const rounded = isExact ? digits : digits.replace(/(\.\d{2}\d*?)0+$/, '$1')
  return `${isNegative && /[1-9]/.test(rounded) ? '−' : ''}${groupThousands(rounded)}`
}

const MAX_DECIMALS = 9

/** Formats a chart's float without an exponent. */
export function formatRoughMoney(value: number): string {
  return formatMoney(value.toFixed(MAX_DECIMALS))
}

function decimalsShown(whole: string, fraction: string): number {
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  if (!/^0*$/.test(whole) || zeros === fraction.length) return USUAL_DECIMALS
  return Math.max(USUAL_DECIMALS, zeros + SMALLEST_SHOWN_DIGITS)
}

function roundDecimal(whole: string, fraction: string, decimals: number): string {
  const kept = fraction.padEnd(decimals, '0').slice(0, decimals)
  const next = fraction[decimals] ?? '0'
  const digits = (BigInt(`${whole}${kept}`) + (next >= '5' ? 1n : 0n)).toString().padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

function groupThousands(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`
}

const wholeNumber = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const shortNumber = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** `1234567` → `1,234,567`. */
export function formatNumber(value: number): string {
  return wholeNumber.format(value)
}

/** `1 image`, `1,234 images`. */
export function formatCount(value: number, noun: string): string {
  return `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** `1234567` → `1.2M`, for cards and axes. */
export function formatShort(value: number): string {
  return shortNumber.format(value)
}

/** `0.0123` → `1.2%`. */
export function formatShare(share: number): string {
  return `${(share * 100).toFixed(share === 0 || share >= 0.1 ? 0 : 1)}%`
}

/** `340` → `340 ms`, `1234` → `1.23 s`, `75000` → `1 min 15 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`
  const seconds = Math.round(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** `1536` → `1.5 KB`. */
export function formatBytes(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), BYTE_UNITS.length - 1)
  const value = bytes / 1_000 ** step
  return `${step === 0 ? value : value.toFixed(1)} ${BYTE_UNITS[step]}`
}

const localTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const localDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })
const relativeTime = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** In the viewer's time zone. */
export function formatTime(at: string): string {
  return localTime.format(new Date(at))
}

export function formatDate(at: string): string {
  return localDate.format(new Date(at))
}

/** `2026-11-15 17:42:03 UTC`. */
export function formatUtc(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

const STEPS = [
  { unit: 'year', seconds: 365 * 86_400 },
  { unit: 'month', seconds: 30 * 86_400 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const

// The gateway's clock may be a little ahead of the browser's.
const CLOCKS_APART_SECONDS = 5

/** `3 minutes ago`, `in 2 days`. */
export function formatRelative(at: string, nowMs: number): string {
  const seconds = (new Date(at).getTime() - nowMs) / 1_000
  const step = STEPS.find((candidate) => Math.abs(seconds) >= candidate.seconds)
  if (step === undefined) return seconds > CLOCKS_APART_SECONDS ? 'in less than a minute' : 'just now'
  const count = seconds / step.seconds
  // The past is cut, the future rounded: what comes in 3.9 days does not come in three.
  return relativeTime.format(count < 0 ? Math.trunc(count) : Math.round(count), step.unit)
}

/** All tokens of one or more requests. */
export function countTokens(
  tokens: Readonly<Record<'input' | 'cache_read' | 'cache_write' | 'output', number>>,
) {
  return tokens.input + tokens.cache_read + tokens.cache_write + tokens.output
}

export function capitalize(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
