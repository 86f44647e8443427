import { NativeSelect } from '@mantine/core'

export interface Range {
  /** RFC 3339. */
  readonly from: string
  readonly to: string
  readonly granularity: 'hour' | 'day'
}

const HOUR_MS = 60 * 60 * 1_000
const DAY_MS = 24 * HOUR_MS
const STEP_MS = 5 * 60 * 1_000

const SPANS = {
  '24h': { label: 'Last 24 hours', lengthMs: DAY_MS, granularity: 'hour' },
  '7d': { label: 'Last 7 days', lengthMs: 7 * DAY_MS, granularity: 'day' },
  '30d': { label: 'Last 30 days', lengthMs: 30 * DAY_MS, granularity: 'day' },
  '90d': { label: 'Last 90 days', lengthMs: 90 * DAY_MS, granularity: 'day' },
  '365d': { label: 'Last year', lengthMs: 365 * DAY_MS, granularity: 'day' },
} as const satisfies Record<string, { label: string; lengthMs: number; granularity: Range['granularity'] }>

export type Span = keyof typeof SPANS

/** The bounds of a span that ends now. The end moves in steps, so that renders share one query. */
export function rangeOf(span: string, nowMs: number = Date.now()): Range {
  const { lengthMs, granularity } = SPANS[isSpan(span) ? span : '7d']
  const toMs = Math.ceil(nowMs / STEP_MS) * STEP_MS
  const wholeMs = granularity === 'day' ? DAY_MS : HOUR_MS
  // The day or hour that is not over yet is the last of those that the span has.
  const currentMs = Math.floor((toMs - 1) / wholeMs) * wholeMs
  return {
    from: new Date(currentMs + wholeMs - lengthMs).toISOString(),
    to: new Date(toMs).toISOString(),
    granularity,
  }
}

function isSpan(text: string): text is Span {
  return text in SPANS
}

export interface RangePickerProps {
  /** Usually kept in the address: `useUrlState({ span: '7d' })`. */
  readonly span: string
  readonly onChange: (span: Span) => void
  /** Shown above it; otherwise it only has an accessible name. */
  readonly label?: string
  /** Beside small buttons. */
  readonly isSmall?: boolean
}

/** Selects the time range of a page. */
export function RangePicker({ span, onChange, label, isSmall = false }: RangePickerProps) {
  return (
    <NativeSelect
      {...(label === undefined ? { 'aria-label': 'Time range' } : { label })}
      size={isSmall ? 'xs' : 'sm'}
      value={isSpan(span) ? span : '7d'}
      onChange={(event) => {
        const { value } = event.currentTarget
        if (isSpan(value)) onChange(value)
      }}
      data={Object.entries(SPANS).map(([value, { label }]) => ({ value, label }))}
    />
  )
}
