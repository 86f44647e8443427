import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatMoney,
  formatRelative,
  formatRoughMoney,
  formatShare,
  formatUtc,
} from './format.ts'

describe('amounts', () => {
  test.each([
    ['0', '0.00'],
    ['12.5', '12.50'],
    ['1234567.891', '1,234,567.89'],
    ['-2.5', '−2.50'],
    ['0.000123456', '0.000123'],
    ['0.009', '0.009'],
    ['0.01498', '0.015'],
    ['0.0115', '0.0115'],
    ['0.5', '0.50'],
    ['0.999', '0.999'],
    ['0.9999', '1.00'],
    ['1.0149', '1.01'],
    ['-0', '0.00'],
    ['9007199254740993.01', '9,007,199,254,740,993.01'],
  ])('%s is formatted as %s', (amount, text) => {
    expect(formatMoney(amount)).toBe(text)
  })

  test('show all digits on request', () => {
    expect(formatMoney('1234.000000001', { isExact: true })).toBe('1,234.000000001')
  })

  test('format tiny chart values without an exponent', () => {
    expect(formatRoughMoney(7.5e-8)).toBe('0.000000075')
    expect(formatRoughMoney(0)).toBe('0.00')
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (value) => {
        expect(formatRoughMoney(value)).toMatch(/^[\d,]+\.\d+$/)
      }),
    )
  })

  test('keep their value when formatted exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (nano) => {
        const digits = nano.toString().padStart(10, '0')
        const amount = `${digits.slice(0, -9)}.${digits.slice(-9)}`
        expect(formatMoney(amount, { isExact: true }).replaceAll(',', '')).toBe(amount)
      }),
    )
  })
})

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_234, '1.23 s'],
  [75_000, '1 min 15 s'],
])('%d milliseconds are formatted as %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text)
})

test('formats times, shares and sizes', () => {
  const nowMs = Date.UTC(2026, 10, 15, 12)
  expect(formatUtc('2026-11-15T12:30:00+02:00')).toBe('2026-11-15 10:30:00 UTC')
  expect(formatRelative('2026-11-15T11:57:00Z', nowMs)).toBe('3 minutes ago')
  expect(formatRelative('2026-11-17T12:00:00Z', nowMs)).toBe('in 2 days')
  expect(formatRelative('2026-11-15T11:59:59Z', nowMs)).toBe('just now')
  expect(formatRelative('2026-11-15T12:00:02Z', nowMs)).toBe('just now')
  expect(formatRelative('2026-11-15T12:00:40Z', nowMs)).toBe('in less than a minute')
  expect(formatRelative('2026-11-19T09:36:00Z', nowMs)).toBe('in 4 days')
  expect(formatRelative('2026-11-11T14:24:00Z', nowMs)).toBe('3 days ago')
  expect([formatCount(1, 'image'), formatCount(1_234, 'image')]).toEqual(['1 image', '1,234 images'])
  expect([formatShare(0), formatShare(0.0123), formatShare(0.5)]).toEqual(['0%', '1.2%', '50%'])
  expect([formatBytes(0), formatBytes(1_536), formatBytes(2_500_000)]).toEqual(['0 B', '1.5 KB', '2.5 MB'])
})
