/** The time filter, as stored in the address. */
export interface TimeChoice {
  readonly span: string
  /** RFC 3339. Used by the span `custom`; `to` also while the list is paused. */
  readonly from: string
  readonly to: string
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
// The start moves in steps, so that renders share one query.
const STEP_MS = 5 * MINUTE_MS

const LENGTHS_MS: Readonly<Record<string, number>> = {
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
}

export const SPANS = [
  { value: 'all', label: 'Any time' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: 'custom', label: 'Custom range' },
]

/** The bounds of the query; empty for none. */
export function boundsOf({ span, from, to }: TimeChoice, nowMs: number): { from: string; to: string } {
  if (span === 'custom') return { from, to }
  const lengthMs = LENGTHS_MS[span]
  if (lengthMs === undefined) return { from: '', to }
  const endMs = Math.floor((to === '' ? nowMs : Date.parse(to)) / STEP_MS) * STEP_MS
  return { from: new Date(endMs - lengthMs).toISOString(), to }
}
