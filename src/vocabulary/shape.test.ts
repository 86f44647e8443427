import { describe, expect, test } from 'bun:test'
import fc, { type Arbitrary } from 'fast-check'
import { Compile } from 'typebox/schema'
import { Account, AccountView, TierAssignment } from './account.ts'
import { KeyCreate, KeyRecord, KeySecret, KeySettings, USAGE_PERIODS } from './api-key.ts'
import { amount, choice, flag, integer, seconds, text, time } from './field.ts'
import { columnName, type Row, type Shown, shape, type Value, wireName } from './shape.ts'
import { TIER_NAMES } from './words.ts'

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
const nano = fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n })
const moment = fc.integer({ min: 0, max: 253_402_300_799_999 })
const limits = fc.option(fc.integer({ min: 1, max: 2_000_000_000 }))

const ACCOUNTS: Arbitrary<Value<typeof Account>> = fc.record({
  id: words,
  name: words,
  email: fc.option(words),
  earnedTier: fc.constantFrom(...TIER_NAMES),
  tierAssignment: fc.option(
    fc.record({
      tier: fc.constantFrom(...TIER_NAMES),
      rpm: limits,
      tpm: limits,
      expiresAtMs: fc.option(moment),
      reason: words,
      assignedBy: words,
    }),
  ),
  totalPaidNano: nano,
  creditLineNano: fc.option(nano),
  balanceAlertNano: fc.option(nano),
  state: fc.constantFrom('active', 'suspended', 'closed'),
  stateReason: fc.option(words),
  createdAtMs: moment,
})

const SETTINGS: Arbitrary<Value<typeof KeySettings>> = fc.record({
  name: words,
  routePolicy: fc.oneof(
    fc.constant({ mode: 'intelligent' } as const),
    words.map((provider) => ({ mode: 'specified_provider', provider }) as const),
  ),
  usageLimit: fc.option(fc.record({ period: fc.constantFrom(...USAGE_PERIODS), amountNano: nano })),
  rpm: limits,
  tpm: limits,
  modelAllowlist: fc.option(fc.array(words, { maxLength: 5 })),
  budget: fc.option(
    fc.record({
      amountNano: nano,
      thresholds: fc
        .uniqueArray(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 })
        .map((thresholds) => thresholds.toSorted((a, b) => a - b)),
    }),
  ),
  expiresAtMs: fc.option(moment),
  sharedFallback: fc.boolean(),
})

const SECRETS: Arbitrary<Value<typeof KeySecret>> = fc.record({
  fingerprint: words,
  lastFour: words,
  expiresAtMs: fc.option(moment),
})

describe('a row', () => {
  test('returns what was stored in it', () => {
    fc.assert(fc.property(ACCOUNTS, (value) => expect(Account.fromRow(Account.toRow(value))).toEqual(value)))
    fc.assert(
      fc.property(SETTINGS, (value) => expect(KeySettings.fromRow(KeySettings.toRow(value))).toEqual(value)),
    )
    fc.assert(
      fc.property(SECRETS, (value) => expect(KeySecret.fromRow(KeySecret.toRow(value))).toEqual(value)),
    )
  })

  test('of a change has only the columns it names', () => {
    fc.assert(
      fc.property(ACCOUNTS, fc.subarray(Object.keys(Account.fields)), (account, names) => {
        const change = Object.fromEntries(Object.entries(account).filter(([name]) => names.includes(name)))
        const row = Account.toRow(account) as Record<string, unknown>
        const columns = names.map(columnName)
        expect(Account.toChangedRow(change)).toEqual(
          Object.fromEntries(columns.map((column) => [column, row[column]])),
        )
      }),
    )
  })
})

describe('a body', () => {
  test('that repeats a response is read as the same value', () => {
    const { draft } = KeySettings
    const takes = Compile(draft.schema)
    fc.assert(
      fc.property(SETTINGS, (value) => {
        const shown = KeySettings.show(value)
        expect(takes.Check(shown)).toBe(true)
        expect(draft.read(shown)).toEqual(value)
      }),
    )
  })

  test('without a field gets its default', () => {
    expect(KeyCreate.read({ name: 'production' })).toEqual({
      name: 'production',
      routePolicy: { mode: 'intelligent' },
      usageLimit: null,
      rpm: null,
      tpm: null,
      modelAllowlist: null,
      budget: null,
      expiresAtMs: null,
      sharedFallback: false,
    })
  })

  test('with null means null, whatever the default', () => {
    const Limited = shape('Limited', { rpm: integer().nullable().default(60) })
    expect(Limited.draft.read({})).toEqual({ rpm: 60 })
    expect(Limited.draft.read({ rpm: null })).toEqual({ rpm: null })
    expect(Limited.patch.read({ rpm: null })).toEqual({ rpm: null })
  })

  test('may have a default derived from other fields', () => {
    const Named = shape('Named', {
      id: text(),
      name: text().default(({ id }) => id ?? ''),
    })
    expect(Named.draft.read({ id: 'gpt' })).toEqual({ id: 'gpt', name: 'gpt' })
    expect(Named.draft.read({ id: 'gpt', name: 'GPT' })).toEqual({ id: 'gpt', name: 'GPT' })
  })

  test('of a change affects only the fields it names', () => {
    const { patch } = KeySettings
    fc.assert(
      fc.property(SETTINGS, fc.subarray(Object.keys(KeySettings.fields)), (value, names) => {
        const shown = KeySettings.show(value) as Record<string, unknown>
        const wires = names.map((name) => wireName(name, KeySettings.fields[name as 'name']))
        const read = patch.read(Object.fromEntries(wires.map((wire) => [wire, shown[wire]])))
        expect(read).toEqual(
          Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name))),
        )
      }),
    )
  })

  test('is refused with an undeclared field, and without a field that has no default', () => {
    for (const { schema } of [KeySettings.draft, KeySettings.patch]) {
      const body = Compile(schema)
      expect(body.Check({ name: 'production' })).toBe(true)
      expect(body.Check({ name: 'production', rmp: 60 })).toBe(false)
      expect(body.Check({ name: 'production', budget: { amount: '1', treshold: [50] } })).toBe(false)
    }
    expect(Compile(KeySettings.draft.schema).Check({})).toBe(false)
    expect(Compile(KeySettings.patch.schema).Check({})).toBe(true)
  })

  test('is refused with the path of the invalid field, also a nested one', () => {
    expect(() => KeyCreate.read({ name: 'x', usage_limit: { period: 'daily', amount: 'much' } })).toThrow(
      'usage_limit.amount must be',
    )
  })
})

describe('an answer', () => {
  const secret = 'tp_do_not_show_this'

  test('has the fields of its shape and no others, whatever else the value has', () => {
    const answer = Compile(AccountView.schema)
    fc.assert(
      fc.property(ACCOUNTS, (account) => {
        const tierAssignment =
          account.tierAssignment === null ? null : { ...account.tierAssignment, token: secret }
        const value = {
          ...account,
          tierAssignment,
          tier: account.earnedTier,
          tierDue: null,
          limits: { rpm: null, tpm: null, token: secret },
          balanceNano: 0n,
          secret,
          passwordHash: secret,
        }
        const shown = AccountView.show(value)
        expect(JSON.stringify(shown)).not.toContain(secret)
        expect(Object.keys(shown).sort()).toEqual(Object.keys(AccountView.example).sort())
        expect(answer.Check(shown)).toBe(true)
      }),
    )
  })

  test('of part of a resource shows only that part', () => {
    const Public = KeySecret.without('PublicSecret', ['fingerprint'])
    fc.assert(fc.property(SECRETS, (value) => expect(Public.show(value)).not.toHaveProperty('fingerprint')))
    expect(KeySecret.pick('Ending', ['lastFour']).columns).toEqual(['last_four'])
  })
})

describe('the name of a field', () => {
  test('in JSON matches its type', () => {
    const account: Record<keyof Shown<typeof AccountView>, true> = {
      id: true,
      name: true,
      email: true,
      earned_tier: true,
      tier_assignment: true,
      total_paid: true,
      credit_line: true,
      balance_alert: true,
      state: true,
      state_reason: true,
      created_at: true,
      tier: true,
      tier_due: true,
      limits: true,
      balance: true,
    }
    const assignment: Record<keyof Shown<typeof TierAssignment>, true> = {
      tier: true,
      rpm: true,
      tpm: true,
      expires_at: true,
      reason: true,
      assigned_by: true,
    }
    expect(Object.keys(AccountView.example).sort()).toEqual(Object.keys(account).sort())
    expect(Object.keys(TierAssignment.example).sort()).toEqual(Object.keys(assignment).sort())
  })

  test('in the database matches its type', () => {
    const key: Record<keyof Row<typeof KeyRecord>, true> = {
      id: true,
      account_id: true,
      name: true,
      state: true,
      route_policy: true,
      usage_limit: true,
      rpm: true,
      tpm: true,
      model_allowlist: true,
      budget: true,
      expires_at_ms: true,
      shared_fallback: true,
      created_at_ms: true,
    }
    expect([...KeyRecord.columns].sort()).toEqual(Object.keys(key).sort() as typeof KeyRecord.columns)
  })

  test('loses its unit in JSON, and may be overridden', () => {
    const Units = shape('Units', {
      inputNanoPerMillion: amount(),
      connectMs: seconds(),
      seenAtMs: time(),
      isEnabled: flag().as('enabled'),
    })
    const shown: Shown<typeof Units> = {
      input: '0.000000001',
      connect_seconds: 1.5,
      seen_at: '1970-01-01T00:00:00Z',
      enabled: true,
    }
    const value = { inputNanoPerMillion: 1n, connectMs: 1_500, seenAtMs: 0, isEnabled: true }
    expect(Units.show(value)).toEqual(shown)
    expect(Units.draft.read(shown)).toEqual(value)
    expect(Units.toRow(value)).toEqual({
      input_nano_per_million: 1n,
      connect_ms: 1_500n,
      seen_at_ms: 0n,
      is_enabled: 1n,
    })
  })
})

describe('the schema of a body', () => {
  const Thing = shape('Thing', {
    name: text(),
    limitNano: amount().nullable().default(0n),
    note: text().nullable().default(null),
    label: text().default(({ name }) => String(name)),
    state: choice(['on', 'off']).default('on'),
  })

  /** What the schema of a body says each field is by default. */
  function defaultsOf({ schema }: { schema: object }): Record<string, unknown> {
    const { properties } = schema as { properties: Record<string, { default?: unknown }> }
    const withDefault = Object.entries(properties).filter(([, property]) => 'default' in property)
    return Object.fromEntries(withDefault.map(([name, property]) => [name, property.default]))
  }

  test('includes defaults that do not depend on other fields, as JSON', () => {
    expect(defaultsOf(Thing.draft)).toEqual({ limit: '0', note: null, state: 'on' })
  })

  test('of a change has no defaults: omitted fields stay unchanged', () => {
    expect(defaultsOf(Thing.patch)).toEqual({})
  })
})
