import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { MAX_TRIES, newThresholds, retryDelayMs, signWebhook } from './alert-rules.ts'

const budget = { amountNano: 1_000n, thresholds: [50, 80, 100] }

describe('thresholds of a budget', () => {
  test.each([
    [0n, 0, []],
    [499n, 0, []],
    [500n, 0, [50]],
    [799n, 50, []],
    [800n, 50, [80]],
    [5_000n, 0, [50, 80, 100]],
    [5_000n, 100, []],
    [1_000n, 50, [80, 100]],
  ])('spent %p of 1000, said up to %p: %p', (spentNano, saidUpTo, expected) => {
    expect(newThresholds(budget, spentNano, saidUpTo)).toEqual(expected)
  })

  test('are said once each, in order, however the spend grows', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: 600n }), { maxLength: 20 })
    fc.assert(
      fc.property(amounts, (spends) => {
        const said: number[] = []
        let spentNano = 0n
        for (const amountNano of spends) {
          spentNano += amountNano
          said.push(...newThresholds(budget, spentNano, said.at(-1) ?? 0))
        }
        expect(said).toEqual(newThresholds(budget, spentNano, 0))
      }),
    )
  })
})

describe('waiting between tries', () => {
  test('grows threefold and ends after six tries and about half an hour', () => {
    const delays = Array.from({ length: MAX_TRIES }, (_, index) => retryDelayMs(index + 1, () => 0.5))
    expect(delays).toEqual([15_000, 45_000, 135_000, 405_000, 1_215_000, null])
  })

  test('is a fifth shorter to a fifth longer', () => {
    expect([retryDelayMs(1, () => 0), retryDelayMs(1, () => 0.999_999)]).toEqual([12_000, 18_000])
  })
})

test('a signature covers time and body', () => {
  const expected = createHmac('sha256', 'whsec_1').update('1780000000.{"a":1}').digest('hex')
  expect(signWebhook('{"a":1}', 'whsec_1', 1_780_000_000_999)).toBe(`t=1780000000,v1=${expected}`)
})
