import { Text, Tooltip } from '@mantine/core'
import { useEffect, useReducer } from 'react'
import { formatDate, formatRelative, formatTime, formatUtc } from './format.ts'

interface TimeStampProps {
  /** RFC 3339; null shows a dash. */
  readonly at: string | null
  /** `time` is date and time; `relative` updates itself. */
  readonly as?: 'time' | 'date' | 'relative'
}

const TICK_MS = 30_000

/** A time in the viewer's time zone, with UTC in its hint. */
export function TimeStamp({ at, as = 'time' }: TimeStampProps) {
  const nowMs = useNow(as === 'relative')
  if (at === null) return <span>–</span>
  const local = as === 'date' ? formatDate(at) : formatTime(at)
  const hint = as === 'relative' ? `${formatTime(at)} · ${formatUtc(at)}` : formatUtc(at)
  return (
    <Tooltip label={hint} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at} className="numeral">
        {as === 'relative' ? formatRelative(at, nowMs) : local}
      </time>
    </Tooltip>
  )
}

/** The time of this rendering, not of the last tick: what is newer than that would seem to be still to come. */
function useNow(isTicking: boolean): number {
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0)
  useEffect(() => {
    if (!isTicking) return
    const timer = setInterval(tick, TICK_MS)
    return () => clearInterval(timer)
  }, [isTicking])
  return Date.now()
}

/** Replaces the time column on narrow screens. */
export function TimeBelow({ at }: { readonly at: string }) {
  return (
    <Text size="xs" c="dimmed" fw={400} mt={4} hiddenFrom="sm" component="span" display="block">
      <TimeStamp at={at} />
    </Text>
  )
}
