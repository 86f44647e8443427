import { Group, Stack, Text } from '@mantine/core'
import type { Settlement } from '../../api/wire.ts'
import { StatusBadge, type Tone } from '../../parts/layout/status-badge.tsx'
import { formatDuration } from '../../parts/text/format.ts'
import { layTimeline, type TimelineRow } from './lay-timeline.ts'

const RESULTS: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  answered: { label: 'Answered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  refused: { label: 'Refused', tone: 'bad' },
  client_left: { label: 'Disconnected', tone: 'warning' },
  overtaken: { label: 'Overtaken', tone: 'neutral' },
}

/** Each attempt with its reason, result and time. */
export function Timeline({ settlement }: { readonly settlement: Settlement }) {
  const rows = layTimeline(settlement)
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No supplier was called.
      </Text>
    )
  }
  return (
    <Stack gap="lg" component="ol" className="timeline">
      {rows.map((row) => (
        <TimelineItem key={row.number} row={row} totalMs={Math.max(settlement.duration_ms, 1)} />
      ))}
    </Stack>
  )
}

interface TimelineItemProps {
  readonly row: TimelineRow
  readonly totalMs: number
}

function TimelineItem({ row, totalMs }: TimelineItemProps) {
  const { attempt, number, startMs, endMs, firstByteMs } = row
  const result = RESULTS[attempt.result] ?? { label: attempt.result, tone: 'neutral' as const }
  const times = [
    `started at ${formatDuration(startMs)}`,
    firstByteMs === null ? '' : `first byte after ${formatDuration(firstByteMs - startMs)}`,
    `ended at ${formatDuration(endMs)}`,
  ].filter(Boolean)
  return (
    <li>
      <Group justify="space-between" gap="xs" mb={6}>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {number}. {attempt.supplier}
          </Text>
          <StatusBadge state={attempt.result} label={result.label} tone={result.tone} />
          {attempt.status !== null && (
            <Text size="sm" c="dimmed" className="numeral">
              status {attempt.status}
            </Text>
          )}
        </Group>
        <Text size="xs" c="dimmed" className="numeral">
          {times.join(' · ')}
        </Text>
      </Group>
      <Bar row={row} totalMs={totalMs} />
      <Text size="sm" c="dimmed" mt={6}>
        Chosen because: {attempt.reason}
      </Text>
      {attempt.failure !== null && (
        <Text size="sm" className="timeline-failure">
          {attempt.failure}
        </Text>
      )}
    </li>
  )
}

/** Waiting is light, delivering is dark, failed is red. */
function Bar({ row: { attempt, startMs, endMs, firstByteMs }, totalMs }: TimelineItemProps) {
  const at = (ms: number) => `${(ms / totalMs) * 100}%`
  const waitedUntilMs = firstByteMs ?? endMs
  const isGood = attempt.result === 'answered'
  return (
    <div className="timeline-track" aria-hidden>
      <div
        className="timeline-part"
        data-part={isGood ? 'waiting' : 'failed'}
        style={{ left: at(startMs), width: at(waitedUntilMs - startMs) }}
      />
      {isGood && firstByteMs !== null && (
        <div
          className="timeline-part"
          data-part="delivering"
          style={{ left: at(firstByteMs), width: at(endMs - firstByteMs) }}
        />
      )}
    </div>
  )
}
