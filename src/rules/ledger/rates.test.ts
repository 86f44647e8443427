import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Usage, UsageDetails } from '../../conversation/usage.ts'
import type { Price } from '../../vocabulary/price.ts'
import { priceOf, withMarkup } from './charge.ts'
import { applicableRates, chargeLines } from './rates.ts'

const USDT = 1_000_000_000n
const BASE: Price = {
  inputNanoPerMillion: 2n * USDT,
  outputNanoPerMillion: 10n * USDT,
  cacheReadNanoPerMillion: USDT / 5n,
  cacheWriteNanoPerMillion: (5n * USDT) / 2n,
  imageNano: 0n,
}
const NOON_MS = Date.UTC(2026, 10, 17, 12)
const facts = { promptTokens: 10, serviceTier: null, startedAtMs: NOON_MS }

function used(counts: Partial<Usage> = {}): Usage {
  return { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, images: 0, ...counts }
}

describe('the rates that apply', () => {
  test('are the price itself when it has no variants', () => {
    expect(applicableRates(BASE, facts)).toBe(BASE)
  })

  test('change with the prompt from one token above the threshold on', () => {
    const price = { ...BASE, variants: [{ when: { promptAbove: 100 }, inputNanoPerMillion: 4n * USDT }] }
    expect(applicableRates(price, { ...facts, promptTokens: 100 })).toEqual(BASE)
    const above = applicableRates(price, { ...facts, promptTokens: 101 })
    expect(above).toEqual({ ...BASE, inputNanoPerMillion: 4n * USDT })
    expect(applicableRates(price, { ...facts, promptTokens: 102 })).toBe(above)
  })

  test('change with the service tier, and all matching variants apply in order', () => {
    const price: Price = {
      ...BASE,
      variants: [
        { when: { tier: 'flex' }, inputNanoPerMillion: USDT, outputNanoPerMillion: 5n * USDT },
        { when: { tier: 'flex', promptAbove: 5 }, inputNanoPerMillion: 3n * USDT },
      ],
    }
    const flex = applicableRates(price, { ...facts, serviceTier: 'flex' })
    expect([flex.inputNanoPerMillion, flex.outputNanoPerMillion]).toEqual([3n * USDT, 5n * USDT])
    expect(applicableRates(price, { ...facts, serviceTier: 'priority' })).toEqual(BASE)
  })

  test.each([
    ['12:00-13:00', true],
    ['11:00-12:00', false],
    ['22:00-12:01', true],
    ['12:01-12:00', false],
    ['12:00-12:00', true],
  ])('within the hours %s: %p', (hours, isWithin) => {
    const price = { ...BASE, variants: [{ when: { hours }, inputNanoPerMillion: 0n }] }
    expect(applicableRates(price, facts).inputNanoPerMillion === 0n).toBe(isWithin)
  })

  test('can be scheduled and can end', () => {
    const when = { fromMs: NOON_MS, untilMs: NOON_MS + 1 }
    const price = { ...BASE, variants: [{ when, inputNanoPerMillion: 0n }] }
    const rateAt = (startedAtMs: number) =>
      applicableRates(price, { ...facts, startedAtMs }).inputNanoPerMillion
    expect([NOON_MS - 1, NOON_MS, NOON_MS + 1].map(rateAt)).toEqual([2n * USDT, 0n, 2n * USDT])
  })
})

describe('the lines of a bill', () => {
  test('tell apart only kinds with a rate of their own', () => {
    const usage = used({ input: 10, output: 8, reasoning: 5, details: { audioInput: 4 } })
    expect(chargeLines(usage, BASE)).toEqual([
      { item: 'input', quantity: 10, rateNano: 2n * USDT, per: 'million' },
      { item: 'output', quantity: 8, rateNano: 10n * USDT, per: 'million' },
    ])
    const apart = { ...BASE, audioInputNanoPerMillion: 7n, reasoningNanoPerMillion: 3n }
    expect(chargeLines(usage, apart)).toEqual([
      { item: 'input', quantity: 6, rateNano: 2n * USDT, per: 'million' },
      { item: 'audioInput', quantity: 4, rateNano: 7n, per: 'million' },
      { item: 'output', quantity: 3, rateNano: 10n * USDT, per: 'million' },
      { item: 'reasoning', quantity: 5, rateNano: 3n, per: 'million' },
    ])
  })

  test('split the prompt where a variant is for the part above', () => {
    const price = {
      ...BASE,
      variants: [
        { when: { promptPartAbove: 150 }, inputNanoPerMillion: 8n },
        { when: { promptPartAbove: 100 }, inputNanoPerMillion: 4n, cacheReadNanoPerMillion: 1n },
      ],
    }
    const usage = used({ cacheRead: 120, input: 100, output: 7 })
    const rates = applicableRates(price, { ...facts, promptTokens: 220 })
    expect(chargeLines(usage, rates)).toEqual([
      { item: 'cacheRead', quantity: 100, rateNano: USDT / 5n, per: 'million' },
      { item: 'output', quantity: 7, rateNano: 10n * USDT, per: 'million' },
      { item: 'cacheRead', quantity: 20, rateNano: 1n, per: 'million', promptPartAbove: 100 },
      { item: 'input', quantity: 30, rateNano: 4n, per: 'million', promptPartAbove: 100 },
      { item: 'input', quantity: 70, rateNano: 8n, per: 'million', promptPartAbove: 150 },
    ])
  })

  test('have units: requests, tool calls, and images by size and quality', () => {
    const price: Price = {
      ...BASE,
      requestNano: 5n,
      webSearchNano: 10n,
      imageNano: 1n,
      imageRates: [
        { size: '1024x1024', quality: 'high', imageNano: 4n },
        { size: '1024x1024', quality: null, imageNano: 3n },
      ],
    }
    const details = { webSearches: 2, imageSize: '1024x1024', imageQuality: 'low' }
    expect(priceOf(used({ images: 2, details }), price)).toBe(5n + 2n * 10n + 2n * 3n)
    expect(priceOf(used({ images: 2, details: { ...details, imageQuality: 'high' } }), price)).toBe(33n)
    expect(priceOf(used({ images: 2 }), price)).toBe(7n)
  })
})

const count = fc.nat({ max: 3_000_000 })
const someDetails: fc.Arbitrary<UsageDetails> = fc.record({
  cacheWrite30m: count,
  cacheWrite1h: count,
  cacheWrite12h: count,
  audioInput: count,
  imageInput: count,
  audioCacheRead: count,
  imageCacheRead: count,
  audioOutput: count,
  imageOutput: count,
})
const someUsage = fc.record({
  input: count,
  cacheRead: count,
  cacheWrite: count,
  output: count,
  reasoning: count,
  images: fc.constant(0),
  details: someDetails,
})
const someRate = fc.bigInt({ min: 0n, max: 10n ** 12n })
const somePrice = fc.record(
  {
    inputNanoPerMillion: someRate,
    outputNanoPerMillion: someRate,
    cacheReadNanoPerMillion: someRate,
    cacheWriteNanoPerMillion: someRate,
    imageNano: someRate,
    cacheWrite1hNanoPerMillion: someRate,
    reasoningNanoPerMillion: someRate,
    audioInputNanoPerMillion: someRate,
    imageOutputNanoPerMillion: someRate,
  },
  {
    requiredKeys: [
      'inputNanoPerMillion',
      'outputNanoPerMillion',
      'cacheReadNanoPerMillion',
      'cacheWriteNanoPerMillion',
      'imageNano',
    ],
  },
)

test('each token is on exactly one line, however the parts of a report overlap', () => {
  fc.assert(
    fc.property(someUsage, somePrice, fc.nat({ max: 5_000_000 }), (usage, base, above) => {
      const price = { ...base, variants: [{ when: { promptPartAbove: above + 1 }, inputNanoPerMillion: 3n }] }
      const promptTokens = usage.input + usage.cacheRead + usage.cacheWrite
      const lines = chargeLines(usage, applicableRates(price, { ...facts, promptTokens }))
      const onLines = lines.reduce((sum, { quantity }) => sum + quantity, 0)
      expect(onLines).toBe(promptTokens + usage.output)
    }),
  )
})

test('details without rates of their own do not change the price', () => {
  fc.assert(
    fc.property(someUsage, someRate, (usage, rate) => {
      const price = { ...BASE, inputNanoPerMillion: rate }
      const { details: _, ...plain } = usage
      expect(priceOf(usage, price)).toBe(priceOf(plain, price))
    }),
  )
})

test('a mark-up is added to the sum and rounded half up', () => {
  expect(withMarkup(100n, null)).toBe(100n)
  expect(withMarkup(100n, 1_250)).toBe(113n)
  expect(withMarkup(100n, -10_000)).toBe(0n)
  expect(withMarkup(10n ** 18n, 1)).toBe(10n ** 18n + 10n ** 14n)
})

describe('units besides tokens and images', () => {
  const price: Price = {
    ...BASE,
    searchUnitNano: 2_000_000n,
    audioMinuteNano: 6_000_000n,
    characterNanoPerMillion: 15n * USDT,
  }

  test.each([
    [{ searchUnits: 3 }, 6_000_000n],
    // 8.5 seconds at 0.006 a minute.
    [{ audioMs: 8_500 }, 850_000n],
    [{ characters: 1_001 }, 15_015_000n],
  ])('%p costs %p', (details, nano) => {
    expect(priceOf({ ...used(), details }, price)).toBe(nano)
  })

  test('are rounded once, together with tokens', () => {
    // A third of a nano-USDT for the audio and a quarter for the tokens: less than a half each, more together.
    const odd = { ...BASE, inputNanoPerMillion: 250_000n, audioMinuteNano: 20_000n }
    const both = { ...used({ input: 1 }), details: { audioMs: 1 } }
    expect([priceOf(used({ input: 1 }), odd), priceOf({ ...used(), details: { audioMs: 1 } }, odd)]).toEqual([
      0n,
      0n,
    ])
    expect(priceOf(both, odd)).toBe(1n)
  })

  test('cost nothing without a rate', () => {
    const details = { searchUnits: 1, audioMs: 60_000, characters: 1_000 }
    expect(chargeLines({ ...used(), details }, BASE)).toEqual([])
  })
})
