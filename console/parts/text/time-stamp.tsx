import { Text, Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
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

function useNow(isTicking: boolean): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    if (!isTicking) return
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isTicking])
  return nowMs
}

/** Replaces the time column on narrow screens. */
export function TimeBelow({ at }: { readonly at: string }) {
  return (
    <Text size="xs" c="dimmed" fw={400} mt={4} hiddenFrom="sm" component="span" display="block">
      <TimeStamp at={at} />
    </Text>
  )
}
