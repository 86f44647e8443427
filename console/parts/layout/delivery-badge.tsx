import { Tooltip } from '@mantine/core'
import type { Alert } from '../../api/wire.ts'
import { StatusBadge, type Tone } from './status-badge.tsx'

const DELIVERIES: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  none: { label: 'No webhook', tone: 'neutral' },
  pending: { label: 'Pending', tone: 'info' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
}

/** Whether the account's webhook was told of an alert. */
export function DeliveryBadge({ delivery: { state, tries, last_failure } }: Pick<Alert, 'delivery'>) {
  const { label, tone } = DELIVERIES[state] ?? { label: state, tone: 'neutral' }
  const badge = (
    <StatusBadge state={state} label={tries > 1 ? `${label}, ${tries} attempts` : label} tone={tone} />
  )
  if (last_failure === null) return badge
  return (
    <Tooltip label={last_failure} multiline maw={320}>
      <span>{badge}</span>
    </Tooltip>
  )
}
