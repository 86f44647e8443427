import { accountLimits } from '../../rules/accounts/tiers.ts'
import { isVisible } from '../../rules/routing/eligible-routes.ts'
import type { Account } from '../../vocabulary/account.ts'
import type { KeySettings } from '../../vocabulary/api-key.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Change } from './change-desk.ts'
import { refuse, requireFuture, requirePositive, requireSane, requireText } from './refuse.ts'

/** Refuses settings that make no sense for a key of this account. Only what is being set is looked at. */
export function checkKeySettings(change: Change, account: Account, settings: Partial<KeySettings>): void {
  if (settings.name !== undefined) requireText(settings.name, 'name')
  if (settings.usageLimit) checkAmount(settings.usageLimit.amountNano, 'usage_limit.amount')
  if (settings.budget) checkBudget(settings.budget)
  if (settings.modelAllowlist) checkAllowlist(settings.modelAllowlist)
  if (settings.expiresAtMs !== undefined) requireFuture(settings.expiresAtMs, change.nowMs)
  if (settings.routePolicy) checkRoutePolicy(change, account, settings.routePolicy)
  const limits = accountLimits(account, change.nowMs)
  checkNarrows('rpm', settings.rpm, limits.rpm)
  checkNarrows('tpm', settings.tpm, limits.tpm)
}

function checkNarrows(param: 'rpm' | 'tpm', wanted: number | null | undefined, limit: number | null): void {
  if (wanted === null || wanted === undefined) return
  if (wanted < 1) refuse(param, `${param} must be at least 1.`)
  if (limit !== null && wanted > limit) {
    refuse(param, `${param} can only narrow the account's limit of ${limit}.`)
  }
}

function checkRoutePolicy(change: Change, account: Account, policy: KeySettings['routePolicy']): void {
  if (policy.mode !== 'specified_provider') return
  const supplier = change.snapshot.supply.suppliers.get(policy.provider)
  if (supplier === undefined || !isVisible(supplier, account.id)) {
    refuse('route_policy.provider', `There is no supplier "${policy.provider}".`)
  }
}

function checkBudget(budget: NonNullable<KeySettings['budget']>): void {
  checkAmount(budget.amountNano, 'budget.amount')
  if (budget.thresholds.length === 0) refuse('budget.thresholds', 'budget.thresholds must not be empty.')
}

function checkAmount(amountNano: NanoUsdt, param: string): void {
  requirePositive(amountNano, param)
  requireSane(amountNano, param)
}

// Looking a model up takes as long for any number of entries; storing and sending them does not.
const MOST_ALLOWED_MODELS = 1_000

function checkAllowlist(allowlist: readonly string[]): void {
  // An empty list could mean everything or nothing, and a guess would be wrong half the time.
  if (allowlist.length === 0) {
    refuse('model_allowlist', 'model_allowlist must name a model; null allows every model.')
  }
  if (allowlist.length > MOST_ALLOWED_MODELS) {
    refuse(
      'model_allowlist',
      `model_allowlist has ${allowlist.length} entries; it takes at most ${MOST_ALLOWED_MODELS}. An entry such as "gpt-*" stands for many.`,
    )
  }
  const malformed = allowlist.findIndex((entry) => entry === '' || entry.slice(0, -1).includes('*'))
  if (malformed >= 0) {
    refuse(`model_allowlist[${malformed}]`, 'An allowlist entry is a model id, or a prefix followed by "*".')
  }
}
