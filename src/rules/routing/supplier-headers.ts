/** The remaining capacity that a supplier reports for a credential, and when it resets. */
export interface SupplierRemaining {
  readonly requests: number | null
  readonly tokens: number | null
  readonly resetSeconds: number | null
}

type Visit = (value: string, name: string) => void

/** The fields of a response. */
interface FieldList {
  get(name: string): string | null
  forEach(visit: Visit): void
  /** Visits only fields whose names contain this, without decoding the other names. */
  forEachNamed?(part: string, visit: Visit): void
}

const FAMILY = 'ratelimit-'

interface Window {
  remaining: number | null
  resetSeconds: number | null
}

/**
 * Reads the remaining capacity that a supplier reports. The families write `x-ratelimit-remaining-requests` or
 * `…-ratelimit-requests-remaining`, with tokens sometimes split into input and output; resets are durations, seconds
 * or moments. All use the same words, so we look for the words instead of the names.
 *
 * A moment is measured against the supplier's own `date`, because its clock need not agree with ours.
 */
export function readRemaining(headers: FieldList, nowMs?: number): SupplierRemaining | null {
  const requests: Window = { remaining: null, resetSeconds: null }
  const tokens: Window = { remaining: null, resetSeconds: null }
  const visit: Visit = (value, name) => {
    if (!name.includes(FAMILY)) return
    const window = name.includes('requests') ? requests : name.includes('tokens') ? tokens : null
    if (window === null) return
    if (name.includes('remaining')) window.remaining = smaller(window.remaining, countOf(value))
    else if (name.includes('reset')) {
      window.resetSeconds = larger(window.resetSeconds, secondsUntil(value, { headers, nowMs }))
    }
  }
  if (headers.forEachNamed === undefined) headers.forEach(visit)
  else headers.forEachNamed(FAMILY, visit)
  if (requests.remaining === null && tokens.remaining === null) return null
  return {
    requests: requests.remaining,
    tokens: tokens.remaining,
    resetSeconds: resetOf(requests, tokens),
  }
}

/** The reset of the window that is used up, or else the later one. */
function resetOf(requests: Window, tokens: Window): number | null {
  if (requests.remaining === 0 && tokens.remaining !== 0) return requests.resetSeconds
  if (tokens.remaining === 0 && requests.remaining !== 0) return tokens.resetSeconds
  return larger(requests.resetSeconds, tokens.resetSeconds)
}

function smaller(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}

function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}

function countOf(text: string): number | null {
  return /^\d+(\.\d+)?$/.test(text) ? Math.floor(Number(text)) : null
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 }
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/
const DURATION_PARTS = /(\d+(?:\.\d+)?)(ms|[smhd])/g

interface Reference {
  readonly headers: FieldList
  readonly nowMs: number | undefined
}

function secondsUntil(text: string, reference: Reference): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return secondsIn(Number(text), reference)
  if (!DURATION.test(text)) return secondsFrom(reference, Date.parse(text))
  let seconds = 0
  for (const [, amount, unit] of text.matchAll(DURATION_PARTS)) {
    seconds += Number(amount) * (UNIT_SECONDS[unit ?? ''] ?? 0)
  }
  return seconds
}

const THIRTY_YEARS_SECONDS = 1_000_000_000

/** A number of thirty years or more is a timestamp, in seconds or in milliseconds. */
function secondsIn(number: number, reference: Reference): number | null {
  if (number < THIRTY_YEARS_SECONDS) return number
  return secondsFrom(reference, number < THIRTY_YEARS_SECONDS * 1_000 ? number * 1_000 : number)
}

function secondsFrom({ headers, nowMs }: Reference, atMs: number): number | null {
  const saidNowMs = Date.parse(headers.get('date') ?? '')
  const fromMs = Number.isNaN(saidNowMs) ? nowMs : saidNowMs
  return fromMs === undefined || Number.isNaN(atMs) ? null : Math.max(0, (atMs - fromMs) / 1_000)
}
