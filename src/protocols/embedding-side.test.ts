import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { splitInputs } from './embedding-side.ts'

const weights = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 300 })
const limits = fc.record({
  inputs: fc.integer({ min: 1, max: 50 }),
  tokens: fc.option(fc.integer({ min: 1, max: 500 })),
})

test('the parts are the whole list in order, and each of them is within the limits', () => {
  fc.assert(
    fc.property(weights, limits, (list, { inputs, tokens }) => {
      const ranges = splitInputs(list, { inputs, tokens })
      expect(ranges.flatMap(({ from, to }) => list.slice(from, to))).toEqual(list)
      for (const [place, { from, to }] of ranges.entries()) {
        expect(from).toBe(ranges[place - 1]?.to ?? 0)
        expect(to - from).toBeGreaterThan(0)
        expect(to - from).toBeLessThanOrEqual(inputs)
        const weight = list.slice(from, to).reduce((total, each) => total + each, 0)
        if (tokens !== null && to - from > 1) expect(weight).toBeLessThanOrEqual(tokens)
      }
    }),
  )
})

test('there are as few parts as possible in order', () => {
  fc.assert(
    fc.property(weights, limits, (list, bounds) => {
      const ranges = splitInputs(list, bounds)
      for (const [place, { from, to }] of ranges.entries()) {
        const next = ranges[place + 1]
        if (next === undefined) continue
        const total = list.slice(from, to + 1).reduce((sum, each) => sum + each, 0)
        const isFull = to - from === bounds.inputs || (bounds.tokens !== null && total > bounds.tokens)
        expect(isFull).toBe(true)
      }
    }),
  )
})
