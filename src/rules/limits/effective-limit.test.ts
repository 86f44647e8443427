import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { RateLimits } from '../../vocabulary/account.ts'
import { effectiveLimit, type LimitFacts } from './effective-limit.ts'

const limits = (rpm: number | null, tpm: number | null = null): RateLimits => ({ rpm, tpm })
const NONE = limits(null)
const OPEN = { route: NONE, credentials: [NONE] }

const effective = (facts: Partial<LimitFacts>) =>
  effectiveLimit({ account: NONE, key: NONE, model: NONE, routes: [OPEN], ...facts })

const rpmOf = (facts: Partial<LimitFacts>) => effective(facts).rpm

describe('spec 8.1: the effective limit', () => {
  test('is the strictest of each metric, and says whose it is', () => {
    expect(
      effective({
        account: limits(120, 2_000),
        key: limits(10),
        model: limits(null, 500),
        routes: [{ route: limits(60, 800), credentials: [NONE] }],
      }),
    ).toEqual({ rpm: { value: 10, constraint: 'key' }, tpm: { value: 500, constraint: 'model' } })
  })

  test('names the account before the key when both agree', () => {
    expect(rpmOf({ account: limits(5), key: limits(5) })).toEqual({ value: 5, constraint: 'account' })
  })

  test('is none where nothing limits', () => {
    expect(effective({})).toEqual({ rpm: null, tpm: null })
  })
})

describe('what supply can carry', () => {
  test('credentials of one route add up, and are named when they bind', () => {
    const routes = [{ route: limits(20), credentials: [limits(5), limits(7)] }]
    expect(rpmOf({ account: limits(120), routes })).toEqual({ value: 12, constraint: 'credentials' })
  })

  test('the route is named when it allows less than its credentials', () => {
    const routes = [{ route: limits(9), credentials: [limits(5), NONE] }]
    expect(rpmOf({ account: limits(120), routes })).toEqual({ value: 9, constraint: 'routes' })
  })

  test('routes add up unless one of them has no limit', () => {
    const limited = { route: limits(5, 10), credentials: [NONE] }
    const half = { route: limits(7), credentials: [NONE] }
    expect(effective({ routes: [limited, half] })).toEqual({
      rpm: { value: 12, constraint: 'routes' },
      tpm: null,
    })
  })

  test('is counted route by route, so that room on one side does not make up for the other', () => {
    const routes = [
      { route: limits(10), credentials: [limits(100)] },
      { route: limits(100), credentials: [limits(20)] },
    ]
    expect(rpmOf({ routes })?.value).toBe(30)
  })

  test('is nothing without a credential, and a limit of nothing is a limit', () => {
    const routes = [{ route: limits(9), credentials: [] }]
    expect(effective({ routes })).toEqual({
      rpm: { value: 0, constraint: 'credentials' },
      tpm: { value: 0, constraint: 'credentials' },
    })
  })
})

const anyLimit = fc.option(fc.nat(1_000), { nil: null })
const anyLimits = fc.record({ rpm: anyLimit, tpm: anyLimit })
const anyFacts: fc.Arbitrary<LimitFacts> = fc.record({
  account: anyLimits,
  key: anyLimits,
  model: anyLimits,
  routes: fc.array(fc.record({ route: anyLimits, credentials: fc.array(anyLimits, { maxLength: 4 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
})
const sizeOf = (facts: LimitFacts) => effectiveLimit(facts).rpm?.value ?? Number.POSITIVE_INFINITY

describe('laws', () => {
  test('no limit of account, key or model is ever exceeded, and one that binds is met exactly', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        for (const owner of ['account', 'key', 'model'] as const) {
          expect(sizeOf(facts)).toBeLessThanOrEqual(facts[owner].rpm ?? Number.POSITIVE_INFINITY)
          const { rpm } = effectiveLimit(facts)
          if (rpm?.constraint === owner) expect(rpm.value).toBe(facts[owner].rpm as number)
        }
      }),
    )
  })

  test('one more route or credential never narrows, one fewer never widens', () => {
    fc.assert(
      fc.property(anyFacts, anyLimits, (facts, more) => {
        const widened = { ...facts, routes: [...facts.routes, { route: more, credentials: [more] }] }
        expect(sizeOf(widened)).toBeGreaterThanOrEqual(sizeOf(facts))
        const [first, ...others] = facts.routes
        if (first === undefined) return
        const grown = { ...first, credentials: [...first.credentials, more] }
        expect(sizeOf({ ...facts, routes: [grown, ...others] })).toBeGreaterThanOrEqual(sizeOf(facts))
      }),
    )
  })
})
