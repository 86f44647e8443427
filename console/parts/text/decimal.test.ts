import { expect, test } from 'bun:test'
import { shareOf, sumAmounts } from './decimal.ts'

test('adds amounts exactly', () => {
  expect(sumAmounts(['0.1', '0.2'])).toBe('0.3')
  expect(sumAmounts(['-1.5', '0.000000001'])).toBe('-1.499999999')
  expect(sumAmounts([])).toBe('0')
})

test('computes the share of a whole, and 1 for an empty whole', () => {
  expect(shareOf('2.5', '10')).toBe(0.25)
  expect(shareOf('0', '0')).toBe(1)
  expect(shareOf('-1', '10')).toBe(0)
})
