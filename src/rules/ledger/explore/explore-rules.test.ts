import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { aSettlement } from '../../../vocabulary/testing/specimens.ts'
import { priceOf } from '../charge.ts'
import { savedNano } from './cache-saving.ts'
import { errorCode } from './error-sums.ts'
import { forecastMonth } from './forecast.ts'
import { BUCKETS, boundOf, bucketOf, percentile } from './histogram.ts'
import { periodsBefore, periodsIn } from './periods.ts'

const DAY_MS = 86_400_000

test('a duration is in the bucket whose bounds it is between', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), (ms) => {
      const bucket = bucketOf(ms)
      expect(ms).toBeLessThanOrEqual(boundOf(bucket) * (1 + 1e-12))
      if (bucket > 0) expect(ms).toBeGreaterThan(boundOf(bucket - 1) * (1 - 1e-12))
    }),
  )
  expect(bucketOf(1e12)).toBe(BUCKETS - 1)
})

test('a percentile is off by less than one bucket', () => {
  const durations = fc.array(fc.integer({ min: 10, max: 900_000 }), { minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.95, 0.99), (all, share) => {
      const counts = Array.from({ length: BUCKETS }, () => 0)
      for (const ms of all) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1
      const exact = all.toSorted((one, other) => one - other)[Math.ceil(share * all.length) - 1] ?? 0
      const read = percentile(counts, share) ?? 0
      expect(read / exact).toBeGreaterThan(1 / 1.34)
      expect(read / exact).toBeLessThan(1.34)
    }),
  )
  expect(percentile([0, 0], 0.5)).toBeNull()
})

test('caching saves what the same prompt would have cost without it', () => {
  const price = {
    inputNanoPerMillion: 3_000_000_000n,
    outputNanoPerMillion: 15_000_000_000n,
    cacheReadNanoPerMillion: 300_000_000n,
    cacheWriteNanoPerMillion: 3_750_000_000n,
    cacheWrite1hNanoPerMillion: 6_000_000_000n,
    imageNano: 0n,
  }
  const usage = { input: 100, cacheRead: 9_000, cacheWrite: 1_000, output: 50, reasoning: 0, images: 0 }
  const withHour = { ...usage, details: { cacheWrite1h: 400 } }
  const uncached = priceOf({ ...usage, input: 10_100, cacheRead: 0, cacheWrite: 0 }, price)
  for (const each of [usage, withHour]) {
    const saved = savedNano(aSettlement({ usage: each, price, markupBasisPoints: null }))
    expect(saved).toBe(Number(uncached - priceOf(each, price)))
    expect(savedNano(aSettlement({ usage: each, price, markupBasisPoints: 1_000 }))).toBe(
      Math.round(saved * 1.1),
    )
  }
  expect(savedNano(aSettlement({ usage, price: null }))).toBe(0)
})

test('failures have the outcome and the last status as their code', () => {
  const attempt = {
    supplier: 'acme',
    credentialId: 'cred_1',
    reason: 'first choice',
    result: 'failed' as const,
    failure: 'busy',
    startedAtMs: 0,
    firstByteMs: null,
    durationMs: 20,
  }
  const attempts = [{ ...attempt, status: 503 }]
  expect(errorCode({ outcome: 'supplier_failed', attempts })).toBe('supplier_failed_503')
  expect(
    errorCode({ outcome: 'supplier_failed', attempts: attempts.map((one) => ({ ...one, status: 200 })) }),
  ).toBe('supplier_failed')
  expect(errorCode({ outcome: 'interrupted', attempts: [] })).toBe('interrupted')
  expect(errorCode({ outcome: 'client_left', attempts })).toBeNull()
})

test('the forecast is what was spent and the mean of the last whole days for the time left', () => {
  const day = Date.UTC(2026, 3, 16) / DAY_MS
  const noonMs = (day + 0.5) * DAY_MS
  const week = Array.from({ length: 15 }, (_, ago): [number, bigint] => [day - ago, ago === 0 ? 5n : 10n])
  // 14.5 of 30 days are left: 145 more than 145 of the first 15 days.
  expect(forecastMonth(new Map(week), noonMs)).toEqual({
    monthMs: Date.UTC(2026, 3, 1),
    soFar: 145n,
    expected: 290n,
    days: 7,
  })
  // Two whole days since the first one.
  const young = new Map([
    [day - 2, 30n],
    [day, 1n],
  ])
  expect(forecastMonth(young, noonMs)).toMatchObject({ soFar: 31n, expected: 31n + 217n, days: 2 })
  expect(forecastMonth(new Map([[day, 3n]]), noonMs)).toBeNull()
  expect(forecastMonth(new Map(), noonMs)).toBeNull()
})

test('periods are calendar ones in UTC, and those before are as many', () => {
  const at = (text: string) => Date.parse(text.length > 10 ? `${text}Z` : text)
  const months = periodsIn('month', at('2026-01-31T12:00'), at('2026-03-01T00:01'))
  expect(months).toEqual([at('2026-01-01'), at('2026-02-01'), at('2026-03-01')])
  expect(periodsBefore('month', months)).toEqual(
    ['2025-10-01', '2025-11-01', '2025-12-01'].map((day) => at(day)),
  )
  // Weeks begin on Monday.
  expect(periodsIn('week', at('2026-11-18T10:00'), at('2026-11-18T11:00'))).toEqual([at('2026-11-16')])
  expect(periodsIn('hour', at('2026-11-18T10:30'), at('2026-11-18T12:00'))).toHaveLength(2)
})
