import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayOf, nextPeriodMs, periodStartDay } from './period.ts'

const day = (date: string) => dayOf(Date.parse(`${date}T00:00:00Z`))

test('a day ends at midnight UTC', () => {
  expect(dayOf(Date.parse('2026-06-10T23:59:59.999Z'))).toBe(day('2026-06-10'))
  expect(dayOf(Date.parse('2026-06-11T00:00:00Z'))).toBe(day('2026-06-10') + 1)
})

describe('the first day of a period', () => {
  test.each([
    ['daily', '2026-06-10', '2026-06-10'],
    ['weekly', '2026-06-08', '2026-06-08'],
    ['weekly', '2026-06-14', '2026-06-08'],
    ['weekly', '2026-06-15', '2026-06-15'],
    ['weekly', '1970-01-01', '1969-12-29'],
    ['monthly', '2026-06-30', '2026-06-01'],
    ['monthly', '2028-02-29', '2028-02-01'],
    ['monthly', '2026-01-01', '2026-01-01'],
  ] as const)('%s of %s is %s', (period, date, start) => {
    expect(periodStartDay(period, day(date))).toBe(day(start))
  })

  test('forever has none', () => {
    expect(periodStartDay('forever', day('2026-06-10'))).toBe(Number.NEGATIVE_INFINITY)
  })
})

describe('the next period', () => {
  test.each([
    ['daily', '2026-06-10', '2026-06-11'],
    ['daily', '2026-12-31', '2027-01-01'],
    ['weekly', '2026-06-14', '2026-06-15'],
    ['weekly', '2026-06-15', '2026-06-22'],
    ['monthly', '2026-01-31', '2026-02-01'],
    ['monthly', '2026-02-28', '2026-03-01'],
    ['monthly', '2028-02-28', '2028-03-01'],
    ['monthly', '2028-02-29', '2028-03-01'],
    ['monthly', '2026-12-01', '2027-01-01'],
  ] as const)('%s after %s begins on %s', (period, date, next) => {
    expect(nextPeriodMs(period, day(date))).toBe(Date.parse(`${next}T00:00:00Z`))
  })

  test('begins where the days stop having the same first day', () => {
    const anyDay = fc.integer({ min: 0, max: 80_000 })
    fc.assert(
      fc.property(anyDay, fc.constantFrom('daily', 'weekly', 'monthly'), (date, period) => {
        const next = dayOf(nextPeriodMs(period, date) ?? Number.NaN)
        expect(periodStartDay(period, next)).toBe(next)
        expect(periodStartDay(period, next - 1)).toBe(periodStartDay(period, date))
      }),
    )
  })

  test('never comes after forever', () => {
    expect(nextPeriodMs('forever', day('2026-06-10'))).toBeNull()
  })
})
