import type { ApiKey, KeySettings } from '../../api/wire.ts'
import { CURRENCY } from '../text/currency.ts'

/** The form values. */
export type KeyFormValues = ReturnType<typeof valuesOf>

const USUAL_THRESHOLDS = ['50', '80', '100']

export function valuesOf(key: KeySettings | null) {
  return {
    name: key?.name ?? '',
    routing: key?.route_policy.mode ?? ('intelligent' as const),
    provider: key?.route_policy.provider ?? '',
    hasLimit: (key?.usage_limit ?? null) !== null,
    limitAmount: key?.usage_limit?.amount ?? '',
    limitPeriod: key?.usage_limit?.period ?? ('monthly' as const),
    rpm: key?.rpm ?? '',
    tpm: key?.tpm ?? '',
    isNarrowed: (key?.model_allowlist ?? null) !== null,
    allowlist: [...(key?.model_allowlist ?? [])],
    hasBudget: (key?.budget ?? null) !== null,
    budgetAmount: key?.budget?.amount ?? '',
    thresholds: key?.budget ? key.budget.thresholds.map(String) : USUAL_THRESHOLDS,
    /** A `datetime-local` value in the viewer's time zone; empty for never. */
    expiry: key?.expires_at ? toLocalField(new Date(key.expires_at)) : '',
    sharedFallback: key?.shared_fallback ?? false,
  }
}

export function settingsOf(values: KeyFormValues): KeySettings {
  const { routing, provider } = values
  return {
    name: values.name.trim(),
    route_policy: routing === 'specified_provider' ? { mode: routing, provider } : { mode: routing },
    usage_limit: values.hasLimit ? { period: values.limitPeriod, amount: values.limitAmount.trim() } : null,
    rpm: toCount(values.rpm),
    tpm: toCount(values.tpm),
    model_allowlist: values.isNarrowed ? values.allowlist : null,
    budget: values.hasBudget
      ? {
          amount: values.budgetAmount.trim(),
          thresholds: values.thresholds.map(Number).toSorted((a, b) => a - b),
        }
      : null,
    expires_at: values.expiry === '' ? null : new Date(values.expiry).toISOString(),
    shared_fallback: values.sharedFallback,
  }
}

/** Only changed fields, because another user may be changing other settings. */
export function changesOf(key: ApiKey, settings: KeySettings): Partial<KeySettings> {
  // The field has no seconds. An unchanged time must keep them.
  const before: KeySettings = { ...settingsOf(valuesOf(key)), name: key.name }
  const changed = Object.entries(settings).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof KeySettings]),
  )
  return Object.fromEntries(changed)
}

const AMOUNT = /^\d{1,12}(\.\d{1,9})?$/
const AMOUNT_ADVICE = `Enter an amount in ${CURRENCY}, such as 5 or 0.25`
const MAX_NAME_LENGTH = 200
const MAX_MODELS = 1_000

export const KEY_FORM_CHECKS = {
  name: (name: string) =>
    name.trim() === '' || name.length > MAX_NAME_LENGTH ? 'Enter a name of up to 200 characters' : null,
  provider: (provider: string, { routing }: KeyFormValues) =>
    routing === 'specified_provider' && provider === '' ? 'Choose a supplier' : null,
  limitAmount: (amount: string, { hasLimit }: KeyFormValues) =>
    hasLimit && !AMOUNT.test(amount.trim()) ? AMOUNT_ADVICE : null,
  allowlist: (list: string[], { isNarrowed }: KeyFormValues) => {
    if (!isNarrowed) return null
    if (list.length === 0) return 'Enter at least one model, or allow all models'
    return list.length > MAX_MODELS ? 'Enter at most 1,000 models' : null
  },
  budgetAmount: (amount: string, { hasBudget }: KeyFormValues) =>
    hasBudget && !AMOUNT.test(amount.trim()) ? AMOUNT_ADVICE : null,
  thresholds: (thresholds: string[], { hasBudget }: KeyFormValues) =>
    hasBudget && (thresholds.length === 0 || !thresholds.every(isThreshold))
      ? 'Enter whole percentages from 1 to 100'
      : null,
  expiry: (expiry: string) =>
    expiry !== '' && Number.isNaN(new Date(expiry).getTime()) ? 'Enter a date and a time' : null,
}

function isThreshold(text: string): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 100
}

/** The form field that shows the API's error for a setting. */
export const FIELD_OF_PARAM: Readonly<Record<string, keyof KeyFormValues>> = {
  name: 'name',
  route_policy: 'provider',
  usage_limit: 'limitAmount',
  rpm: 'rpm',
  tpm: 'tpm',
  model_allowlist: 'allowlist',
  budget: 'budgetAmount',
  expires_at: 'expiry',
}

function toCount(value: number | string): number | null {
  return value === '' ? null : Number(value)
}

/** `2026-11-15T17:42`, in the viewer's time zone. */
export function toLocalField(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
