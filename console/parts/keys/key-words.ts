import type { UsagePeriod } from '../../../src/vocabulary/api-key.ts'
import type { ApiKey } from '../../api/wire.ts'
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
    ...(rpm === null ? [] : [`${formatShort(rpm)} requests`]),
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
