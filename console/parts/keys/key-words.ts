import type { KeyStop, UsagePeriod } from '../../../src/vocabulary/api-key.ts'
import type { ApiKey } from '../../api/wire.ts'
import type { Tone } from '../layout/status-badge.tsx'
import { readNano } from '../text/exact-amount.ts'
import { formatShort } from '../text/format.ts'

const PERIODS: Readonly<Record<UsagePeriod, string>> = {
  daily: 'a day',
  weekly: 'a week',
  monthly: 'a month',
  forever: 'in total',
}

/** "a day", after an amount. */
export function describePeriod(period: UsagePeriod): string {
  return PERIODS[period]
}

/** "60 requests, 100K tokens a minute", or "account limits". */
export function describeRate({ rpm, tpm }: Pick<ApiKey, 'rpm' | 'tpm'>): string {
  const parts = [
    ...(rpm === null ? [] : [`${formatShort(rpm)} ${rpm === 1 ? 'request' : 'requests'}`]),
    ...(tpm === null ? [] : [`${formatShort(tpm)} tokens`]),
  ]
  return parts.length === 0 ? 'account limits' : `${parts.join(', ')} a minute`
}

export function describeRoutes({ route_policy: { mode, provider } }: Pick<ApiKey, 'route_policy'>): string {
  return mode === 'specified_provider' ? `only ${provider}` : 'intelligent'
}

export function describeAllowlist({ model_allowlist: list }: Pick<ApiKey, 'model_allowlist'>): string {
  if (list === null) return 'all'
  if (list.length === 0) return 'none'
  return list.length <= 2 ? list.join(', ') : `${list.slice(0, 2).join(', ')} and ${list.length - 2} more`
}

/** "sk-…aB3x". */
export function describeSecret({ last_four }: Pick<ApiKey, 'last_four'>): string {
  return `sk-…${last_four ?? ''}`
}

/** What stops a key, in the fewest words. */
export const STOP_WORDS: Readonly<Record<KeyStop, { readonly label: string; readonly tone: Tone }>> = {
  revoked: { label: 'revoked', tone: 'bad' },
  account: { label: 'account stopped', tone: 'bad' },
  expired: { label: 'expired', tone: 'warning' },
  disabled: { label: 'disabled', tone: 'neutral' },
  usage_limit: { label: 'limit reached', tone: 'bad' },
  balance: { label: 'no balance', tone: 'bad' },
}

/** Whether the key has spent its budget, which only warns. */
export function isOverBudget({ budget, usage }: Pick<ApiKey, 'budget' | 'usage'>): boolean {
  if (budget === null) return false
  return (readNano(usage.spent_this_month) ?? 0n) >= (readNano(budget.amount) ?? 0n)
}
