import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { priceOf } from '../../../src/rules/ledger/charge.ts'
import { formatUsdt } from '../../../src/vocabulary/money.ts'
import { addUpPrice } from './price-lines.ts'

const count = fc.nat({ max: 5_000_000 })
const nano = fc.bigInt(0n, 90_000_000_000n)

test('adds up to exactly what the gateway charges', () => {
  fc.assert(
    fc.property(
      fc.tuple(count, count, count, count, fc.nat({ max: 20 })),
      fc.tuple(nano, nano, nano, nano, nano),
      ([input, cacheRead, cacheWrite, output, images], prices) => {
        const [ofInput, ofRead, ofWrite, ofOutput, ofImage] = prices
        const charged = priceOf(
          { input, cacheRead, cacheWrite, output, reasoning: 0, images },
          {
            inputNanoPerMillion: ofInput,
            cacheReadNanoPerMillion: ofRead,
            cacheWriteNanoPerMillion: ofWrite,
            outputNanoPerMillion: ofOutput,
            imageNano: ofImage,
          },
        )
        const { lines, rounding, total } = addUpPrice(
          { input, cache_read: cacheRead, cache_write: cacheWrite, output, images },
          {
            input: formatUsdt(ofInput),
            cache_read: formatUsdt(ofRead),
            cache_write: formatUsdt(ofWrite),
            output: formatUsdt(ofOutput),
            image: formatUsdt(ofImage),
          },
        )
        expect(total).toBe(formatUsdt(charged))
        const sum = [...lines.map(({ amount }) => amount), rounding].reduce(
          (all, text) => all + fine(text),
          0n,
        )
        expect(sum).toBe(charged * 1_000_000n)
      },
    ),
  )
})

test('omits unused kinds of tokens', () => {
  const price = { input: '0.5', cache_read: '0', cache_write: '0', output: '1.5', image: '0' }
  const { lines, total } = addUpPrice(
    { input: 3, cache_read: 0, cache_write: 0, output: 12, images: 0 },
    price,
  )
  expect(lines.map(({ label, amount }) => [label, amount])).toEqual([
    ['Input', '0.0000015'],
    ['Output', '0.000018'],
  ])
  expect(total).toBe('0.0000195')
})

function fine(text: string): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  const units = BigInt(`${whole}${fraction.padEnd(15, '0')}`)
  return sign === '-' ? -units : units
}
