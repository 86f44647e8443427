import { StatusBadge, type Tone } from './status-badge.tsx'

const OUTCOMES: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  completed: { label: 'Completed', tone: 'good' },
  client_left: { label: 'Disconnected', tone: 'warning' },
  supplier_failed: { label: 'Supplier failed', tone: 'bad' },
  refused: { label: 'Refused', tone: 'bad' },
  interrupted: { label: 'Interrupted', tone: 'warning' },
}

export function outcomeLabel(outcome: string): string {
  return OUTCOMES[outcome]?.label ?? outcome.replaceAll('_', ' ')
}

export function OutcomeBadge({ outcome }: { readonly outcome: string }) {
  return (
    <StatusBadge state={outcome} label={outcomeLabel(outcome)} tone={OUTCOMES[outcome]?.tone ?? 'neutral'} />
  )
}
