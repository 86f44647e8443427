import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatFemto, formatUsdt, parseUsdt } from './money.ts'

describe('an amount', () => {
  test.each([
    ['0', 0n],
    ['12.5', 12_500_000_000n],
    ['0.000000001', 1n],
    ['-3.25', -3_250_000_000n],
    ['1.10', 1_100_000_000n],
    ['9223372036.854775807', 2n ** 63n - 1n],
  ])('%s is %d nano', (text, nano) => {
    expect(parseUsdt(text, 'amount')).toBe(nano)
  })

  test.each([
    '',
    ' 1',
    '1.',
    '.5',
    '1e3',
    '0x1',
    '1,5',
    '+1',
    '--1',
    '1.0000000001',
    '12345678901',
    'NaN',
    '١',
  ])('is not %p', (text) => {
    expect(() => parseUsdt(text, 'price.input')).toThrow('price.input must be a decimal amount')
  })

  test('is refused when a 64-bit column could not hold it', () => {
    expect(() => parseUsdt('9223372036.854775808', 'amount')).toThrow('amount is too large')
  })

  test.each([
    [0n, '0'],
    [1n, '0.000000001'],
    [-1n, '-0.000000001'],
    [1_500_000_000n, '1.5'],
    [10_000_000_000n, '10'],
  ])('of %d nano is written %s', (nano, text) => {
    expect(formatUsdt(nano)).toBe(text)
  })

  test('is read back as it was written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), (nano) => {
        expect(parseUsdt(formatUsdt(nano), 'amount')).toBe(nano)
      }),
    )
  })
})

test.each([
  [1n, '0.000000000000001'],
  [-1_500_000_000_000_000n, '-1.5'],
  [20_000_000_000_000_000n, '20'],
  [0n, '0'],
])('%d femto is %s', (femto, text) => {
  expect(formatFemto(femto)).toBe(text)
})
