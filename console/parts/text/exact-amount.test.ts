import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { describeChange, readNano, shareOfChange, subtractAmounts, writeNano } from './exact-amount.ts'

describe('decimal strings', () => {
  test('survive a round trip', () => {
    fc.assert(fc.property(fc.bigInt(-(10n ** 18n), 10n ** 18n), (nano) => readNano(writeNano(nano)) === nano))
  })

  test.each(['', '1,5', '1e3', '0.0000000001', 'abc', '.5', '1.'])('%p is not a decimal', (text) => {
    expect(readNano(text)).toBeNull()
  })

  test('are written without needless zeros', () => {
    expect(writeNano(1_500_000_000n)).toBe('1.5')
    expect(writeNano(-1n)).toBe('-0.000000001')
  })
})

test('amounts are subtracted exactly', () => {
  expect(subtractAmounts('0.3', '0.1')).toBe('0.2')
  expect(subtractAmounts('0.000000001', '1')).toBe('-0.999999999')
})

describe('a change', () => {
  test.each([
    ['1', '1.1', '+10%'],
    ['8', '7', '−12.5%'],
    ['0.5', '1.5', '+200%'],
  ])('from %s to %s is %s', (before, after, expected) => {
    const share = shareOfChange(before, after)
    expect(share === null ? null : describeChange(share)).toBe(expected)
  })

  test('from zero has no percentage', () => {
    expect(shareOfChange('0', '1')).toBeNull()
  })
})
