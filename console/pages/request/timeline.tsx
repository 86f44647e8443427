import { Group, Text, Tooltip } from '@mantine/core'
import type { Settlement } from '../../api/wire.ts'
import { StatusBadge, type Tone } from '../../parts/layout/status-badge.tsx'
import { CutText } from '../../parts/tables/cut-text.tsx'
import { formatDuration } from '../../parts/text/format.ts'
import { describeReason } from './describe-reason.ts'
import { admissionMs, layAxis, layTimeline, type TimelineRow } from './lay-timeline.ts'

const RESULTS: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  answered: { label: 'Answered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  refused: { label: 'Refused', tone: 'bad' },
  client_left: { label: 'Disconnected', tone: 'warning' },
  overtaken: { label: 'Overtaken', tone: 'neutral' },
}

interface SettlementProps {
  readonly settlement: Settlement
}

/** The request on a time axis: its admission, each attempt with its reason and result, the first byte and the end. */
export function Timeline({ settlement }: SettlementProps) {
  const rows = layTimeline(settlement)
  const totalMs = Math.max(settlement.duration_ms, 1)
  const { first_byte_ms: firstByteMs } = settlement
  return (
    <div className="timeline-box">
      <Axis totalMs={totalMs} />
      <ol className="timeline">
        <li>
          <Head name="Admission" times={`until ${formatDuration(admissionMs(rows, settlement))}`} />
          <Track totalMs={totalMs} firstByteMs={firstByteMs}>
            <Part kind="admission" fromMs={0} toMs={admissionMs(rows, settlement)} totalMs={totalMs} />
          </Track>
          {rows.length === 0 && (
            <Text size="sm" c="dimmed" mt={4}>
              No supplier was called.
            </Text>
          )}
        </li>
        {rows.map((row) => (
          <AttemptItem key={row.number} row={row} totalMs={totalMs} firstByteMs={firstByteMs} />
        ))}
      </ol>
      <Legend settlement={settlement} />
    </div>
  )
}

function Axis({ totalMs }: { readonly totalMs: number }) {
  return (
    <div className="timeline-axis" aria-hidden>
      {layAxis(totalMs).map(({ ms, at }) => (
        <span key={ms} style={{ left: `${at * 100}%` }} data-end={at > 0.95 || undefined}>
          {formatDuration(ms)}
        </span>
      ))}
    </div>
  )
}

function Legend({ settlement }: SettlementProps) {
  const { first_byte_ms: firstByteMs, duration_ms: durationMs } = settlement
  return (
    <Group gap="md" mt="sm" className="timeline-legend">
      {firstByteMs !== null && (
        <span data-part="first-byte">First byte to the client at {formatDuration(firstByteMs)}</span>
      )}
      <span data-part="waiting">Waiting</span>
      <span data-part="delivering">Answering</span>
      <span data-part="failed">Failed</span>
      <Text span size="xs" c="dimmed">
        End at {formatDuration(durationMs)}
      </Text>
    </Group>
  )
}

interface HeadProps {
  readonly name: string
  readonly times: string
  readonly children?: React.ReactNode
}

function Head({ name, times, children }: HeadProps) {
  return (
    <Group justify="space-between" gap="xs" mb={4}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          <CutText text={name} width={36} />
        </Text>
        {children}
      </Group>
      <Text size="xs" c="dimmed" className="numeral">
        {times}
      </Text>
    </Group>
  )
}

interface AttemptItemProps {
  readonly row: TimelineRow
  readonly totalMs: number
  readonly firstByteMs: number | null
}

function AttemptItem({ row, totalMs, firstByteMs: shownMs }: AttemptItemProps) {
  const { attempt, number, startMs, endMs, firstByteMs } = row
  const result = RESULTS[attempt.result] ?? { label: attempt.result, tone: 'neutral' as const }
  const times = [
    `started at ${formatDuration(startMs)}`,
    firstByteMs === null ? '' : `first byte after ${formatDuration(firstByteMs - startMs)}`,
    `ended at ${formatDuration(endMs)}`,
  ].flatMap((words) => words.replaceAll(' ', '\u00a0') || [])
  const isGood = attempt.result === 'answered'
  return (
    <li>
      <Head name={`${number}. ${attempt.supplier}`} times={times.join(' · ')}>
        <StatusBadge state={attempt.result} label={result.label} tone={result.tone} />
        {attempt.status !== null && (
          <Text size="sm" c="dimmed" className="numeral">
            status {attempt.status}
          </Text>
        )}
      </Head>
      <Track totalMs={totalMs} firstByteMs={shownMs}>
        <Part
          kind={isGood ? 'waiting' : 'failed'}
          fromMs={startMs}
          toMs={firstByteMs ?? endMs}
          totalMs={totalMs}
        />
        {isGood && firstByteMs !== null && (
          <Part kind="delivering" fromMs={firstByteMs} toMs={endMs} totalMs={totalMs} />
        )}
      </Track>
      <Text size="sm" c="dimmed" mt={4}>
        {attempt.model === undefined ? '' : `Model ${attempt.model}. `}
        {describeReason(attempt.reason)}
      </Text>
      {attempt.failure !== null && (
        <Text size="sm" className="timeline-failure">
          {attempt.failure}
        </Text>
      )}
    </li>
  )
}

interface TrackProps {
  readonly totalMs: number
  /** When the client got the first byte. */
  readonly firstByteMs: number | null
  readonly children: React.ReactNode
}

/** A line of the axis; what it shows is also said in words. */
function Track({ totalMs, firstByteMs, children }: TrackProps) {
  return (
    <div className="timeline-track" aria-hidden>
      {layAxis(totalMs).map(({ ms, at }) => (
        <div key={ms} className="timeline-grid" style={{ left: `${at * 100}%` }} />
      ))}
      {children}
      {firstByteMs !== null && (
        <div
          className="timeline-first-byte"
          style={{ left: `${(Math.min(firstByteMs, totalMs) / totalMs) * 100}%` }}
        />
      )}
    </div>
  )
}

interface PartProps {
  readonly kind: 'admission' | 'waiting' | 'delivering' | 'failed'
  readonly fromMs: number
  readonly toMs: number
  readonly totalMs: number
}

function Part({ kind, fromMs, toMs, totalMs }: PartProps) {
  const share = (ms: number) => `${(ms / totalMs) * 100}%`
  return (
    <Tooltip label={`${formatDuration(fromMs)} to ${formatDuration(toMs)}`}>
      <div
        className="timeline-part"
        data-part={kind}
        style={{ left: share(fromMs), width: share(Math.max(0, toMs - fromMs)) }}
      />
    </Tooltip>
  )
}
