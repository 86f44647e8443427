import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { NO_USAGE } from '../../conversation/usage.ts'
import type { NanoUsdt } from '../../vocabulary/money.ts'
import type { Price } from '../../vocabulary/price.ts'
import { A_PRICE } from '../../vocabulary/testing/specimens.ts'
import { chargeFor, priceOf } from './charge.ts'
import { affordableOutput, type HoldBasis, holdFor, largestPrompt } from './hold.ts'

const NOON = Date.UTC(2026, 5, 1, 12)
const basis: HoldBasis = {
  promptTokens: 100,
  maxPromptTokens: 115,
  maxOutputTokens: 50,
  modelOutputLimit: null,
  choices: 1,
  images: 0,
  toolCalls: 0,
  startedAtMs: NOON,
  markupBasisPoints: null,
}
const plain: Price = { ...A_PRICE, cacheWriteNanoPerMillion: A_PRICE.inputNanoPerMillion }
function held(changes: Partial<HoldBasis>, price: Price): NanoUsdt {
  const changed = { ...basis, ...changes }
  const maxPromptTokens = changes.maxPromptTokens ?? Math.ceil(changed.promptTokens * 1.15)
  return holdFor({ ...changed, maxPromptTokens }, [{ price }])
}

describe('the hold', () => {
  test('is the prompt, with the error of its estimate, and the output asked for', () => {
    expect(held({}, plain)).toBe(115_000n + 100_000n)
  })

  test('is for as many tokens as a supplier may count of the characters', () => {
    expect([largestPrompt(100, 90), largestPrompt(100, 140)]).toEqual([115, 140])
    expect(held({ maxPromptTokens: 140 }, plain)).toBe(140_000n + 100_000n)
  })

  test('includes the mark-up', () => {
    expect(held({ markupBasisPoints: 2_000 }, plain)).toBe(((115_000n + 100_000n) * 12n) / 10n)
  })

  test('is for what the model can give when the client sets no limit', () => {
    const unset = { maxOutputTokens: null }
    expect(held({ ...unset, modelOutputLimit: 10 }, plain)).toBe(115_000n + 20_000n)
    expect(held(unset, plain)).toBe(115_000n + 32_768n * 2_000n)
  })

  test('is never for more than the model can give', () => {
    expect(held({ modelOutputLimit: 10 }, plain)).toBe(115_000n + 20_000n)
  })

  test('multiplies prompt, output and the price per request by the choices', () => {
    expect(held({ choices: 3 }, plain)).toBe(345_000n + 300_000n)
    expect(held({ choices: 3 }, { ...plain, requestNano: 7n })).toBe(345_000n + 300_000n + 21n)
  })

  test('covers the calls of tools that the supplier runs, at the dearest rate', () => {
    const priced = { ...plain, webSearchNano: 10n, codeExecutionNano: 3n }
    const dearer = { ...priced, variants: [{ when: { tier: 'priority' as const }, webSearchNano: 12n }] }
    expect(held({ toolCalls: 5 }, priced)).toBe(215_000n + 50n)
    expect(held({ toolCalls: 5 }, dearer)).toBe(215_000n + 60n)
    expect(held({ toolCalls: 5 }, plain)).toBe(215_000n)
  })

  test('takes the prompt as the dearest kind of cache write, and the output as the dearest kind', () => {
    expect(held({}, A_PRICE)).toBe(143_750n + 100_000n)
    expect(held({}, { ...A_PRICE, cacheWrite1hNanoPerMillion: 2_000_000_000n })).toBe(230_000n + 100_000n)
    expect(held({}, { ...plain, reasoningNanoPerMillion: 3_000_000_000n })).toBe(115_000n + 150_000n)
  })

  test('is for the dearest route; without any price there is nothing to hold', () => {
    const dear = { ...plain, outputNanoPerMillion: 4_000_000_000n }
    expect(holdFor(basis, [{ price: plain }, { price: dear }, { price: plain }])).toBe(115_000n + 200_000n)
    expect(holdFor(basis, [])).toBe(0n)
  })

  test('is for the dearest tier that may serve', () => {
    const variants = [
      { when: { tier: 'flex' as const }, outputNanoPerMillion: 1_000_000_000n },
      { when: { tier: 'priority' as const }, outputNanoPerMillion: 5_000_000_000n },
    ]
    expect(held({}, { ...plain, variants })).toBe(115_000n + 250_000n)
  })

  test('is for a long prompt as soon as the estimate may be that far off', () => {
    const variants = [{ when: { promptAbove: 1_000 }, inputNanoPerMillion: 2_000_000_000n }]
    const price = { ...plain, variants }
    expect(held({ promptTokens: 800 }, price)).toBe(920_000n + 100_000n)
    expect(held({ promptTokens: 900 }, price)).toBe(2n * 1_035_000n + 100_000n)
  })

  test('is at the price of the hour', () => {
    const variants = [{ when: { hours: '00:00-06:00' }, outputNanoPerMillion: 9_000_000_000n }]
    expect(held({}, { ...plain, variants })).toBe(115_000n + 100_000n)
    expect(held({ startedAtMs: NOON - 10 * 3_600_000 }, { ...plain, variants })).toBe(115_000n + 450_000n)
  })

  test('is for the size and quality of the images, or the dearest when the supplier chooses', () => {
    const imageRates = [
      { size: '1024x1024', quality: 'low', imageNano: 10n },
      { size: '1024x1024', quality: 'high', imageNano: 100n },
      { size: null, quality: null, imageNano: 200n },
    ]
    const price = { ...plain, imageRates }
    const images = { promptTokens: 0, maxOutputTokens: 0, images: 2 }
    expect(held({ ...images, imageSize: '1024x1024', imageQuality: 'low' }, price)).toBe(20n)
    expect(held({ ...images, imageSize: '1024x1024' }, price)).toBe(400n)
    expect(held({ ...images, imageSize: '512x512', imageQuality: 'low' }, price)).toBe(400n)
    expect(held(images, price)).toBe(400n)
  })

  test('covers every use within its bounds, however the prompt was cached and whatever tier served', () => {
    const count = fc.nat({ max: 1_000 })
    const tier = fc.constantFrom(undefined, 'flex', 'priority')
    const variants = [
      { when: { tier: 'priority' as const }, inputNanoPerMillion: 7_000_000_000n },
      { when: { promptAbove: 900 }, outputNanoPerMillion: 8_000_000_000n },
      { when: { promptPartAbove: 500 }, cacheWriteNanoPerMillion: 9_000_000_000n },
    ]
    for (const price of [A_PRICE, { ...A_PRICE, cacheWrite1hNanoPerMillion: 5_000_000_000n, variants }]) {
      fc.assert(
        fc.property(fc.tuple(count, count, count), tier, ([input, cacheWrite, output], serviceTier) => {
          const details = { cacheWrite1h: cacheWrite >> 1, serviceTier }
          const usage = { ...NO_USAGE, input, cacheWrite, output, details }
          const bounds = { promptTokens: input + cacheWrite, maxOutputTokens: output }
          const { amountNano } = chargeFor(
            usage,
            { price, cost: null },
            { startedAtMs: NOON, markupBasisPoints: null },
          )
          expect(held(bounds, price)).toBeGreaterThanOrEqual(amountNano)
        }),
      )
    }
  })
})

test('units are held at the dearest rate that may apply', () => {
  const price: Price = {
    ...plain,
    characterNanoPerMillion: 1_000_000n,
    variants: [{ when: { tier: 'priority' }, characterNanoPerMillion: 3_000_000n }],
  }
  const units = { characters: 1_000, searchUnits: 5 }
  const without = holdFor(basis, [{ price }])
  expect(holdFor({ ...basis, units }, [{ price }])).toBe(without + 3_000n)
})

describe('the output that an amount pays for', () => {
  test('is never more than the amount, and nearly all of it', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 1_000_000n }),
        fc.integer({ min: 1, max: 3 }),
        (amount, choices) => {
          const routes = [{ price: A_PRICE }, { price: { ...plain, outputNanoPerMillion: 3_000_000_000n } }]
          const bounds = { ...basis, choices, maxOutputTokens: 1_000 }
          const tokens = affordableOutput(amount, bounds, routes)
          if (tokens > 0)
            expect(holdFor({ ...bounds, maxOutputTokens: tokens }, routes)).toBeLessThanOrEqual(amount)
          expect(tokens).toBeLessThanOrEqual(1_000)
        },
      ),
    )
    expect(affordableOutput(215_000n, { ...basis, maxOutputTokens: 1_000 }, [{ price: plain }])).toBe(50)
  })

  test('is everything where output is free, and nothing where the prompt is too dear', () => {
    const free = { ...plain, outputNanoPerMillion: 0n }
    expect(affordableOutput(115_000n, basis, [{ price: free }])).toBe(50)
    expect(affordableOutput(114_999n, basis, [{ price: free }])).toBe(0)
    expect(priceOf(NO_USAGE, free)).toBe(0n)
  })
})
