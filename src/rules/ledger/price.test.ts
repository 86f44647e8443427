import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { NO_USAGE } from '../../conversation/usage.ts'
import { A_PRICE } from '../../vocabulary/testing/specimens.ts'
import { holdFor, priceOf } from './charge.ts'

describe('the price of a use', () => {
  test('adds every bucket at its own price, thinking not twice', () => {
    const usage = { input: 10, cacheRead: 20, cacheWrite: 4, output: 5, reasoning: 3, images: 2 }
    expect(priceOf(usage, A_PRICE)).toBe(10_000n + 2_000n + 5_000n + 10_000n + 10n)
  })

  test('is rounded once, half up', () => {
    const price = { ...A_PRICE, inputNanoPerMillion: 250_000n, outputNanoPerMillion: 250_000n }
    expect(priceOf({ ...NO_USAGE, input: 1, output: 0 }, price)).toBe(0n)
    expect(priceOf({ ...NO_USAGE, input: 1, output: 1 }, price)).toBe(1n)
  })

  test('stays exact where floating point would not', () => {
    const price = { ...A_PRICE, inputNanoPerMillion: 9_999_999_999_999n }
    expect(priceOf({ ...NO_USAGE, input: 2 ** 31 - 1 }, price)).toBe(21_474_836_469_997_853n)
  })

  test('is the sum of exact parts, however large they are', () => {
    const count = fc.oneof(fc.nat({ max: 2 }), fc.nat({ max: 2_000_000 }), fc.nat({ max: 2_000_000_000 }))
    const nano = fc.oneof(
      fc.bigInt(0n, 20_000_000_000n),
      fc.bigInt(0n, 2n ** 60n),
      // Where plain numbers stop being exact: sums come to lie on either side of it.
      fc.bigInt(2n ** 53n - 1_000_001n, 2n ** 53n + 1n),
      fc.bigInt(2n ** 52n - 500_001n, 2n ** 52n + 1n),
    )
    fc.assert(
      fc.property(
        fc.tuple(count, count, count, count, count),
        fc.tuple(nano, nano, nano, nano, nano),
        (uses, parts) => {
          const [input, cacheRead, cacheWrite, output, images] = uses
          const [ofInput, ofCacheRead, ofCacheWrite, ofOutput, ofImage] = parts
          const price = {
            inputNanoPerMillion: ofInput,
            cacheReadNanoPerMillion: ofCacheRead,
            cacheWriteNanoPerMillion: ofCacheWrite,
            outputNanoPerMillion: ofOutput,
            imageNano: ofImage,
          }
          const tokens =
            BigInt(input) * ofInput +
            BigInt(cacheRead) * ofCacheRead +
            BigInt(cacheWrite) * ofCacheWrite +
            BigInt(output) * ofOutput
          const exact = (2n * tokens + 1_000_000n) / 2_000_000n + BigInt(images) * ofImage
          expect(priceOf({ input, cacheRead, cacheWrite, output, images, reasoning: 0 }, price)).toBe(exact)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('of nothing is nothing', () => {
    expect(priceOf(NO_USAGE, A_PRICE)).toBe(0n)
  })
})

describe('the hold', () => {
  const basis = { promptTokens: 100, maxOutputTokens: 50, modelOutputLimit: null, choices: 1, images: 0 }
  const plain = { ...A_PRICE, cacheWriteNanoPerMillion: A_PRICE.inputNanoPerMillion }

  test('is the prompt and the output asked for', () => {
    expect(holdFor(basis, [{ price: plain }])).toBe(100_000n + 100_000n)
  })

  test('is for 4,096 tokens of output when unset, or what the model can give', () => {
    const unset = { ...basis, maxOutputTokens: null }
    expect(holdFor(unset, [{ price: plain }])).toBe(100_000n + 4_096n * 2_000n)
    expect(holdFor({ ...unset, modelOutputLimit: 10 }, [{ price: plain }])).toBe(100_000n + 20_000n)
  })

  test('multiplies prompt and output by the choices', () => {
    expect(holdFor({ ...basis, choices: 3 }, [{ price: plain }])).toBe(300_000n + 300_000n)
  })

  test('takes the prompt as a cache write where that is dearer', () => {
    expect(holdFor(basis, [{ price: A_PRICE }])).toBe(125_000n + 100_000n)
  })

  test('is for the dearest route; without any price there is nothing to hold', () => {
    const dear = { ...plain, outputNanoPerMillion: 4_000_000_000n }
    expect(holdFor(basis, [{ price: plain }, { price: dear }, { price: plain }])).toBe(300_000n)
    expect(holdFor(basis, [])).toBe(0n)
  })

  test('covers every use within its bounds, however the prompt was cached', () => {
    const count = fc.nat({ max: 1_000 })
    fc.assert(
      fc.property(count, count, count, (input, cacheWrite, output) => {
        const usage = { ...NO_USAGE, input, cacheWrite, output }
        const bounds = { ...basis, promptTokens: input + cacheWrite, maxOutputTokens: output }
        expect(holdFor(bounds, [{ price: A_PRICE }])).toBeGreaterThanOrEqual(priceOf(usage, A_PRICE))
      }),
    )
  })
})
