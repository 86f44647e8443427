import { Badge } from '@mantine/core'

export type Tone = 'good' | 'bad' | 'warning' | 'neutral' | 'info'

const COLOURS: Readonly<Record<Tone, string>> = {
  good: 'teal',
  bad: 'red',
  warning: 'yellow',
  neutral: 'gray',
  info: 'blue',
}

/** Tones of the API's states. */
const TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  enabled: 'good',
  healthy: 'good',
  closed: 'good',
  completed: 'good',
  succeeded: 'good',
  delivered: 'good',
  disabled: 'neutral',
  expired: 'warning',
  half_open: 'warning',
  degraded: 'warning',
  cancelled: 'warning',
  client_gone: 'warning',
  revoked: 'bad',
  failed: 'bad',
  open: 'bad',
  refused: 'bad',
}

export interface StatusBadgeProps {
  readonly state: string
  /** Overrides the tone of the state. */
  readonly tone?: Tone
  readonly label?: string
}

interface OnBadgeProps {
  readonly isOn: boolean
  readonly on?: string
  readonly off?: string
}

export function OnBadge({ isOn, on = 'Enabled', off = 'Disabled' }: OnBadgeProps) {
  return <StatusBadge state={isOn ? on : off} tone={isOn ? 'good' : 'neutral'} />
}

/** A state as a word and a colour. */
export function StatusBadge({ state, tone, label }: StatusBadgeProps) {
  const colour = COLOURS[tone ?? TONES[state] ?? 'neutral']
  return (
    <Badge variant="light" color={colour} tt="none" className="status-badge" data-colour={colour}>
      {label ?? state.replaceAll('_', ' ')}
    </Badge>
  )
}
