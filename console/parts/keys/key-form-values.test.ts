import { describe, expect, test } from 'bun:test'
import type { ApiKey, KeySettings } from '../../api/wire.ts'
import { changesOf, KEY_FORM_CHECKS, settingsOf, valuesOf } from './key-form-values.ts'

const PLAIN: KeySettings = {
  name: 'ci',
  route_policy: { mode: 'intelligent' },
  usage_limit: null,
  rpm: null,
  tpm: null,
  model_allowlist: null,
  budget: null,
  expires_at: null,
  shared_fallback: false,
}

const FULL: KeySettings = {
  name: 'ci',
  route_policy: { mode: 'specified_provider', provider: 'acme' },
  usage_limit: { period: 'daily', amount: '5' },
  rpm: 60,
  tpm: 100_000,
  model_allowlist: ['gpt-5', 'claude-*'],
  budget: { amount: '100', thresholds: [50, 90] },
  expires_at: '2027-03-04T05:06:00.000Z',
  shared_fallback: true,
}

function keyWith(settings: KeySettings): ApiKey {
  return {
    ...settings,
    id: 'key_1',
    account_id: 'acc_1',
    state: 'active',
    last_four: 'abcd',
    created_by: null,
    last_used_at: null,
    created_at: '2026-01-01T00:00:00Z',
    usage: {
      period: 'forever',
      spent: '0',
      held: '0',
      remaining: null,
      resets_at: null,
      spent_this_month: '0',
    },
    stopped_by: null,
  }
}

describe('the form of a key', () => {
  test('returns the settings it was filled with', () => {
    expect(settingsOf(valuesOf(PLAIN))).toEqual(PLAIN)
    expect(settingsOf(valuesOf(FULL))).toEqual(FULL)
  })

  test('starts without restrictions', () => {
    expect(settingsOf({ ...valuesOf(null), name: ' new ' })).toEqual({ ...PLAIN, name: 'new' })
  })

  test('drops values behind a switch that is off', () => {
    const values = { ...valuesOf(FULL), hasLimit: false, hasBudget: false, isNarrowed: false }
    expect(settingsOf(values)).toMatchObject({ usage_limit: null, budget: null, model_allowlist: null })
  })

  test('sends only changed fields', () => {
    const key = keyWith(FULL)
    expect(changesOf(key, settingsOf(valuesOf(key)))).toEqual({})
    const values = { ...valuesOf(key), rpm: '', name: 'ci 2' }
    expect(changesOf(key, settingsOf(values))).toEqual({ rpm: null, name: 'ci 2' })
  })

  test('keeps the seconds of an unchanged expiry', () => {
    const key = keyWith({ ...FULL, expires_at: '2027-03-04T05:06:07.890Z' })
    expect(changesOf(key, settingsOf(valuesOf(key)))).toEqual({})
  })

  test('validates only enabled settings', () => {
    const values = valuesOf(null)
    expect(KEY_FORM_CHECKS.limitAmount('', values)).toBeNull()
    expect(KEY_FORM_CHECKS.limitAmount('', { ...values, hasLimit: true })).not.toBeNull()
    expect(KEY_FORM_CHECKS.limitAmount('5,5', { ...values, hasLimit: true })).not.toBeNull()
    expect(KEY_FORM_CHECKS.limitAmount('5.5', { ...values, hasLimit: true })).toBeNull()
    expect(KEY_FORM_CHECKS.thresholds(['0'], { ...values, hasBudget: true })).not.toBeNull()
    expect(KEY_FORM_CHECKS.thresholds(['1', '100'], { ...values, hasBudget: true })).toBeNull()
    expect(KEY_FORM_CHECKS.allowlist([], { ...values, isNarrowed: true })).not.toBeNull()
  })
})
