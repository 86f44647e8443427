import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type AxisUnit, axisFor } from './axis.ts'

const UNITS: readonly AxisUnit[] = ['amount', 'count', 'share', 'milliseconds', 'per_second']
/** As likely small as large. */
const magnitude = fc.double({ min: -9, max: 7, noNaN: true }).map((power) => 10 ** power)

test('labels are never the same, cut, or in another order than the ticks', () => {
  fc.assert(
    fc.property(fc.constantFrom(...UNITS), magnitude, fc.constantFrom(0, -1), (unit, largest, sign) => {
      const axis = axisFor(unit, sign * largest, largest)
      const labels = axis.ticks.map(axis.format)
      expect(new Set(labels).size).toBe(labels.length)
      expect(labels.length).toBeGreaterThanOrEqual(2)
      expect(labels.length).toBeLessThanOrEqual(8)
      for (const label of labels) {
        expect(label).not.toMatch(/e|NaN|Infinity/)
        expect(axis.width).toBeGreaterThanOrEqual(label.length * 7 + 14)
      }
      // Reading a label gives the tick back.
      const read = labels.map((label) => Number(label.replace('−', '-').replace(/[^\d.-]/g, '')))
      const ratio = (axis.ticks.at(-1) ?? 1) / (read.at(-1) ?? 1)
      for (const [index, tick] of axis.ticks.entries()) {
        expect(Math.abs((read[index] ?? 0) * ratio - tick)).toBeLessThan(axis.domain[1] * 1e-4)
      }
      expect(axis.domain[1]).toBeGreaterThanOrEqual(largest * (1 - 1e-6))
    }),
    { numRuns: 2_000 },
  )
})

test('labels are short and round', () => {
  const labelsOf = (unit: AxisUnit, largest: number) => {
    const { ticks, format } = axisFor(unit, 0, largest)
    return ticks.map(format)
  }
  expect(labelsOf('amount', 1e-9)).toEqual(['0.000000000', '0.000000001'])
  expect(labelsOf('amount', 0.07)).toEqual(['0.00', '0.02', '0.04', '0.06', '0.08'])
  expect(labelsOf('amount', 10_000_000)).toEqual(['0.0M', '2.5M', '5.0M', '7.5M', '10.0M'])
  expect(labelsOf('count', 3)).toEqual(['0', '1', '2', '3'])
  expect(labelsOf('count', 0)).toEqual(['0', '1'])
  expect(labelsOf('share', 1)).toEqual(['0%', '25%', '50%', '75%', '100%'])
  expect(labelsOf('milliseconds', 1_800)).toEqual(['0 ms', '500 ms', '1,000 ms', '1,500 ms', '2,000 ms'])
  expect(labelsOf('milliseconds', 9_000)).toEqual(['0.0 s', '2.5 s', '5.0 s', '7.5 s', '10.0 s'])
})
