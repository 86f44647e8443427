import { dayOf, nextPeriodMs, periodStartDay } from '../../rules/ledger/period.ts'
import type { Account } from '../../vocabulary/account.ts'
import type { Notice } from '../../vocabulary/alert.ts'
import { type ApiKey, type Budget, lastFourOf, type UsageLimit } from '../../vocabulary/api-key.ts'
import { formatOptionalTime, formatTime } from '../../vocabulary/clock.ts'
import { formatUsdt, type NanoUsdt } from '../../vocabulary/money.ts'
import type { Settlement } from '../../vocabulary/settlement.ts'
import type { Credential, RouteIds, Supplier } from '../../vocabulary/supply.ts'

/** What a key has spent in a period, at a moment of that period. */
export interface Spend {
  readonly spentNano: NanoUsdt
  readonly atMs: number
}

export function budgetNotice(
  key: ApiKey,
  { budget, threshold }: { readonly budget: Budget; readonly threshold: number },
  { spentNano, atMs }: Spend,
): Notice {
  const month = formatTime(atMs).slice(0, 7)
  return {
    kind: 'budget.threshold',
    accountId: key.accountId,
    subject: key.id,
    occasion: `budget.threshold ${key.id} ${month} ${threshold}`,
    atMs,
    data: {
      key_id: key.id,
      key_name: key.name,
      month,
      threshold,
      amount: formatUsdt(budget.amountNano),
      spent: formatUsdt(spentNano),
    },
  }
}

/** A limit that is raised and reached again in the same period is a new occasion. */
export function limitOccasion(key: ApiKey, limit: UsageLimit, atMs: number): string {
  const startDay = Math.max(0, periodStartDay(limit.period, dayOf(atMs)))
  return `key.limit_reached ${key.id} ${limit.period} ${startDay} ${limit.amountNano}`
}

export function limitNotice(key: ApiKey, limit: UsageLimit, { spentNano, atMs }: Spend): Notice {
  return {
    kind: 'key.limit_reached',
    accountId: key.accountId,
    subject: key.id,
    occasion: limitOccasion(key, limit, atMs),
    atMs,
    data: {
      key_id: key.id,
      key_name: key.name,
      period: limit.period,
      amount: formatUsdt(limit.amountNano),
      spent: formatUsdt(spentNano),
      resets_at: formatOptionalTime(nextPeriodMs(limit.period, dayOf(atMs))),
    },
  }
}

export function balanceOccasion(accountId: string): string {
  return `balance.low ${accountId}`
}

export function balanceNotice(
  account: Account,
  { floorNano, balanceNano }: { readonly floorNano: NanoUsdt; readonly balanceNano: NanoUsdt },
  atMs: number,
): Notice {
  return {
    kind: 'balance.low',
    accountId: account.id,
    subject: account.id,
    occasion: balanceOccasion(account.id),
    atMs,
    data: { balance: formatUsdt(balanceNano), balance_alert: formatUsdt(floorNano) },
  }
}

/** Alerts about an account's own credential go to the account; others go to operators only. */
export function credentialNotice(credential: Credential, supplier: Supplier, atMs: number): Notice {
  return {
    kind: 'credential.disabled',
    accountId: supplier.source === 'byok' ? supplier.accountId : null,
    subject: credential.id,
    occasion: null,
    atMs,
    data: {
      credential_id: credential.id,
      supplier: supplier.id,
      label: credential.label,
      last_four: lastFourOf(credential.secret),
    },
  }
}

export function unpricedOccasion({ modelId, supplierId }: RouteIds): string {
  return `route.unpriced ${modelId}/routes/${supplierId}`
}

/** For operators only: customers do not see the model, or use another route. */
export function unpricedNotice({ modelId, supplierId }: RouteIds, atMs: number): Notice {
  return {
    kind: 'route.unpriced',
    accountId: null,
    subject: `${modelId}/routes/${supplierId}`,
    occasion: unpricedOccasion({ modelId, supplierId }),
    atMs,
    data: { model: modelId, supplier: supplierId },
  }
}

/** Once a day per supplier: one that reports wrong figures does so with every answer. */
export function implausibleOccasion(supplierId: string, atMs: number): string {
  return `usage.implausible ${supplierId} ${dayOf(atMs)}`
}

export function implausibleNotice(
  { requestId, model, usage }: Settlement,
  { id, source, accountId }: Pick<Supplier, 'id' | 'source' | 'accountId'>,
  atMs: number,
): Notice {
  return {
    kind: 'usage.implausible',
    accountId: source === 'byok' ? accountId : null,
    subject: id,
    occasion: implausibleOccasion(id, atMs),
    atMs,
    data: {
      supplier: id,
      model,
      request_id: requestId,
      counted_input: usage.input,
      counted_output: usage.output,
    },
  }
}
