import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { NO_USAGE } from '../../conversation/usage.ts'
import { A_PRICE } from '../../vocabulary/testing/specimens.ts'
import { priceOf } from './charge.ts'

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
