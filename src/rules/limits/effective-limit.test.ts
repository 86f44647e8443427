import { describe, expect, test } from 'bun:test'
import { combinedCapacity, effectiveLimit, routeCapacity } from './effective-limit.ts'

const limits = (rpm: number | null, tpm: number | null) => ({ rpm, tpm })

describe('spec 8.1: the effective limit', () => {
  test('is the strictest of each metric, and says whose it is', () => {
    const effective = effectiveLimit([
      { constraint: 'account', ...limits(120, 2_000) },
      { constraint: 'key', ...limits(10, null) },
      { constraint: 'model', ...limits(null, 500) },
      { constraint: 'routes', ...limits(60, 800) },
    ])
    expect(effective).toEqual({
      rpm: { value: 10, constraint: 'key' },
      tpm: { value: 500, constraint: 'model' },
    })
  })

  test('names the first of several that agree', () => {
    const effective = effectiveLimit([
      { constraint: 'account', ...limits(5, null) },
      { constraint: 'key', ...limits(5, null) },
    ])
    expect(effective).toEqual({ rpm: { value: 5, constraint: 'account' }, tpm: null })
  })

  test('a limit of zero is a limit', () => {
    expect(effectiveLimit([{ constraint: 'routes', ...limits(0, null) }]).rpm?.value).toBe(0)
  })
})

describe('what supply can carry', () => {
  test('credentials of one route add up, under the limit of the route', () => {
    expect(routeCapacity(limits(null, 900), [limits(5, 400), limits(7, 600)])).toEqual(limits(12, 900))
  })

  test('one credential without a limit leaves only the limit of the route', () => {
    expect(routeCapacity(limits(9, null), [limits(5, 400), limits(null, null)])).toEqual(limits(9, null))
  })

  test('routes add up unless one of them has no limit', () => {
    expect(combinedCapacity([limits(5, 10), limits(7, null)])).toEqual(limits(12, null))
  })

  test('no credential carries nothing', () => {
    expect(routeCapacity(limits(9, null), [])).toEqual(limits(0, 0))
  })
})
