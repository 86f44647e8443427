import { expect, test } from 'bun:test'
import { geometricMean, median, middleInterval, quantile } from './statistics.ts'

test('quantiles are taken from the values themselves, in numeric order', () => {
  const values = [100, 9, 20, 3, 50]
  expect(median(values)).toBe(20)
  expect(quantile(values, 0.99)).toBe(100)
  expect(quantile(values, 0)).toBe(3)
  expect(median([2, 1])).toBe(1)
  expect(median([])).toBe(0)
  expect(values).toEqual([100, 9, 20, 3, 50])
})

test('ratios that cancel out average to one', () => {
  expect(geometricMean([0.5, 2])).toBeCloseTo(1)
  expect(geometricMean([1.1, 1.1])).toBeCloseTo(1.1)
})

test('the interval around the median is narrower with more values', () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)
  expect(middleInterval(upTo(30))).toEqual({ low: 9, high: 20 })
  expect(middleInterval(upTo(400))).toEqual({ low: 180, high: 219 })
  expect(middleInterval([5, 4])).toEqual({ low: 4, high: 5 })
})
