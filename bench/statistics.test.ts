import { expect, test } from 'bun:test'
import { median, quantile } from './statistics.ts'

test('quantiles are taken from the values themselves, in numeric order', () => {
  const values = [100, 9, 20, 3, 50]
  expect(median(values)).toBe(20)
  expect(quantile(values, 0.99)).toBe(100)
  expect(quantile(values, 0)).toBe(3)
  expect(median([2, 1])).toBe(1)
  expect(median([])).toBe(0)
  expect(values).toEqual([100, 9, 20, 3, 50])
})
