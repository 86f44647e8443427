import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { asVector, base64Of, dimensionsOf, numbersOf } from './embeddings.ts'

const float32 = fc.float({ noNaN: true, noDefaultInfinity: true })
const vector = fc.array(float32, { minLength: 1, maxLength: 64 })

describe('a vector', () => {
  test('of 32-bit floats survives Base64 exactly', () => {
    fc.assert(
      fc.property(vector, (numbers) => {
        const base64 = base64Of(numbers)
        expect(numbersOf(base64)).toEqual(numbers)
        expect(base64Of(numbersOf(base64))).toBe(base64)
        expect(asVector(base64)).toBe(base64)
        expect(dimensionsOf(base64)).toBe(numbers.length)
      }),
    )
  })

  test('of longer numbers is rounded to the nearest float, as every client does', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1, max: 1 }), { minLength: 1 }), (numbers) => {
        expect(numbersOf(base64Of(numbers))).toEqual(numbers.map(Math.fround))
      }),
    )
  })

  test('is little-endian', () => {
    expect(Buffer.from(base64Of([1, -2]), 'base64').toString('hex')).toBe('0000803f000000c0')
    expect(numbersOf(Buffer.from('0000803f000000c0', 'hex').toString('base64'))).toEqual([1, -2])
  })

  test('stays as it is where it is wanted so', () => {
    const numbers = [0.1, 0.2]
    expect(numbersOf(numbers)).toBe(numbers)
    expect(base64Of('AACAPw==')).toBe('AACAPw==')
  })

  test.each([[[]], [''], ['AAA='], ['AACAPw'], ['@@@@@@=='], [[1, null]], [[1, '2']], [null], [{}]])(
    '%j is none',
    (value) => expect(asVector(value)).toBeNull(),
  )
})
