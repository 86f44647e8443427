import type { Tone } from '../../parts/status-badge.tsx'

/** The kinds of things that are changed, as actions begin. */
export const KINDS = [
  { value: 'account', label: 'Accounts' },
  { value: 'payment', label: 'Payments' },
  { value: 'refund', label: 'Refunds' },
  { value: 'adjustment', label: 'Adjustments' },
  { value: 'tier', label: 'Tiers' },
  { value: 'key', label: 'API keys' },
  { value: 'supplier', label: 'Suppliers' },
  { value: 'credential', label: 'Credentials' },
  { value: 'model', label: 'Models' },
  { value: 'route', label: 'Routes' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'user', label: 'Users' },
] as const

const GONE = /deleted|removed|revoked|disabled|ended|failed/
const MADE = /created|added|recorded|enabled/

/** `route.changed` → `Route changed`, with a colour for what comes and goes. */
export function describeAction(action: string): { readonly label: string; readonly tone: Tone } {
  const words = action.replaceAll(/[._]/g, ' ')
  const label = words.charAt(0).toUpperCase() + words.slice(1)
  if (GONE.test(action)) return { label, tone: 'warning' }
  return { label, tone: MADE.test(action) ? 'good' : 'neutral' }
}
