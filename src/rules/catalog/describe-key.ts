import type { ApiKey, KeyState } from '../../vocabulary/api-key.ts'
import { formatUsdt } from '../../vocabulary/money.ts'
import { describeOptionalTime, describeTime } from './describe-time.ts'

/** A key as operators read it, in answers and in the audit alike; of its secrets only the last four characters. */
export function describeKey(key: ApiKey, nowMs: number) {
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    state: describeState(key, nowMs),
    last_four: key.secrets[0]?.lastFour ?? null,
    route_policy: key.routePolicy,
    usage_limit: key.usageLimit && {
      period: key.usageLimit.period,
      amount: formatUsdt(key.usageLimit.amountNano),
    },
    rpm: key.rpm,
    tpm: key.tpm,
    model_allowlist: key.modelAllowlist,
    budget: key.budget && { amount: formatUsdt(key.budget.amountNano), thresholds: key.budget.thresholds },
    expires_at: describeOptionalTime(key.expiresAtMs),
    shared_fallback: key.sharedFallback,
    created_at: describeTime(key.createdAtMs),
  }
}

// A revoked key stays revoked after its expiry: that is the stronger and final statement.
function describeState(key: ApiKey, nowMs: number): KeyState | 'expired' {
  if (key.state === 'revoked') return 'revoked'
  return key.expiresAtMs !== null && key.expiresAtMs <= nowMs ? 'expired' : key.state
}
