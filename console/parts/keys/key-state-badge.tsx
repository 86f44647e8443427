import { Group } from '@mantine/core'
import type { ApiKey } from '../../api/wire.ts'
import { StatusBadge } from '../layout/status-badge.tsx'
import { isOverBudget, STOP_WORDS } from './key-words.ts'

/** Whether requests with the key are served, and if not, why. */
export function KeyStateBadge({ apiKey }: { readonly apiKey: ApiKey }) {
  const { state, stopped_by: stop } = apiKey
  return (
    <Group gap={4}>
      {stop === null ? <StatusBadge state={state} /> : <StatusBadge {...STOP_WORDS[stop]} state={stop} />}
      {stop === null && isOverBudget(apiKey) && <StatusBadge state="over budget" tone="warning" />}
    </Group>
  )
}
