import { Tooltip } from '@mantine/core'
import { formatRelative } from '../../parts/format.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import type { CredentialHealth } from '../operator-suppliers/health.ts'

const WORDS = {
  closed: { tone: 'good', label: 'Works', hint: 'It answers, and is asked as usual.' },
  'half-open': {
    tone: 'warning',
    label: 'Being tried',
    hint: 'It failed; a single request now finds out whether it works again.',
  },
  open: { tone: 'bad', label: 'Left alone', hint: 'It failed again and again and is not asked for a while.' },
} as const

interface CircuitBadgeProps {
  readonly health: Pick<CredentialHealth, 'circuit' | 'opensAgainAt' | 'coolingUntil'> | null
  readonly isWaiting: boolean
}

/** Whether a credential is asked at the moment, and when not, until when. */
export function CircuitBadge({ health, isWaiting }: CircuitBadgeProps) {
  if (health === null) return isWaiting ? null : <StatusBadge state="No route" tone="neutral" />
  const nowMs = Date.now()
  if (health.coolingUntil !== null && Date.parse(health.coolingUntil) > nowMs) {
    return (
      <Tooltip
        label={`The supplier asked to be left alone until ${formatRelative(health.coolingUntil, nowMs)}.`}
      >
        <span>
          <StatusBadge
            state="Cooling"
            tone="warning"
            label={`Cooling, ${secondsUntil(health.coolingUntil, nowMs)}`}
          />
        </span>
      </Tooltip>
    )
  }
  const { tone, label, hint } = WORDS[health.circuit]
  const wait = health.circuit === 'open' && health.opensAgainAt !== null
  return (
    <Tooltip label={hint}>
      <span>
        <StatusBadge
          state={label}
          tone={tone}
          label={wait ? `${label}, ${secondsUntil(health.opensAgainAt, nowMs)}` : label}
        />
      </span>
    </Tooltip>
  )
}

function secondsUntil(at: string | null, nowMs: number): string {
  return `${Math.max(Math.ceil((Date.parse(at ?? '') - nowMs) / 1_000), 0)} s`
}
