import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Price, PriceVariant } from '../../vocabulary/price.ts'
import { priceOf } from './charge.ts'
import { isSamePrice, priceSince, replaceWhere, schedulePrice } from './combine-prices.ts'
import { applicableRates } from './rates.ts'

const NOW_MS = Date.parse('2026-11-17T12:00:00Z')
const LATER_MS = Date.parse('2027-01-01T00:00:00Z')

function priceWith(change: Partial<Price> = {}): Price {
  return {
    inputNanoPerMillion: 1_000n,
    outputNanoPerMillion: 2_000n,
    cacheReadNanoPerMillion: 100n,
    cacheWriteNanoPerMillion: 1_250n,
    imageNano: 0n,
    ...change,
  }
}

const rate = fc.constantFrom(0n, 1n, 7n, 1_000n, 2_000n)
const rates = fc.record(
  {
    inputNanoPerMillion: rate,
    outputNanoPerMillion: rate,
    cacheReadNanoPerMillion: rate,
    audioInputNanoPerMillion: rate,
    cacheWrite1hNanoPerMillion: rate,
    reasoningNanoPerMillion: rate,
    webSearchNano: rate,
    requestNano: rate,
    imageNano: rate,
    imageRates: rate.map((imageNano) => [{ size: 'small', quality: null, imageNano }]),
  },
  { requiredKeys: [] },
)
/** Conditions that hold for a request or not, and never change with time. */
const lasting = fc.constantFrom<PriceVariant['when']>(
  { promptAbove: 100 },
  { tier: 'flex' },
  { hours: '06:00-18:00' },
  { tier: 'flex', promptAbove: 100 },
)
const variant = fc.tuple(lasting, rates).map(([when, named]): PriceVariant => ({ when, ...named }))
/** What variants price apart, the price itself does too. */
const price = fc.tuple(rates, fc.array(variant, { maxLength: 3 })).map(([named, variants]) => {
  const apart = variants.map(({ when: _, ...own }) => own)
  return priceWith({ ...Object.assign({}, ...apart), ...named, ...(variants.length > 0 && { variants }) })
})

const usage = fc.record({
  input: fc.constantFrom(0, 60, 1_000_000),
  cacheRead: fc.constantFrom(0, 60),
  cacheWrite: fc.constantFrom(0, 500_000),
  output: fc.constantFrom(0, 1_000_000),
  reasoning: fc.constantFrom(0, 400_000),
  images: fc.constantFrom(0, 2),
  details: fc.record({
    audioInput: fc.constantFrom(0, 30),
    cacheWrite1h: fc.constantFrom(0, 250_000),
    webSearches: fc.constantFrom(0, 3),
    imageSize: fc.constantFrom('small', 'large'),
    serviceTier: fc.constantFrom('flex', 'fast'),
  }),
})
type AnyUsage = Parameters<typeof priceOf>[0]

/** What a request costs that starts at this time. */
function costAt(whole: Price, used: AnyUsage, startedAtMs: number): bigint {
  const promptTokens = used.input + used.cacheRead + used.cacheWrite
  const serviceTier = used.details?.serviceTier ?? null
  return priceOf(used, applicableRates(whole, { promptTokens, serviceTier, startedAtMs }))
}

describe('a scheduled price', () => {
  test('is the old one before its time and the new one after, whatever either depends on', () => {
    const time = fc.constantFrom(-1, 0, 6 * 3_600_000)
    fc.assert(
      fc.property(fc.tuple(price, price), usage, time, ([present, next], used, offsetMs) => {
        const atMs = LATER_MS + offsetMs
        const expected = costAt(offsetMs < 0 ? present : next, used, atMs)
        expect(costAt(schedulePrice(present, next, LATER_MS), used, atMs)).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test('names only the rates that differ', () => {
    const next = priceWith({ outputNanoPerMillion: 3_000n })
    expect(schedulePrice(priceWith(), next, LATER_MS).variants).toEqual([
      { when: { fromMs: LATER_MS }, outputNanoPerMillion: 3_000n },
    ])
    expect(schedulePrice(priceWith(), priceWith(), LATER_MS).variants).toBeUndefined()
  })

  test('ends what was charged for a part of the prompt', () => {
    const part = { when: { promptPartAbove: 100 }, inputNanoPerMillion: 9_000n }
    const used = { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, images: 0 }
    const scheduled = schedulePrice(priceWith({ variants: [part] }), priceWith(), LATER_MS)
    expect(costAt(scheduled, used, LATER_MS)).toBe(1_000n)
    expect(costAt(scheduled, used, LATER_MS - 1)).toBe(9_000n - 1n)
  })
})

describe('a price in place of another', () => {
  test('is that one as a whole where the condition holds', () => {
    fc.assert(
      fc.property(fc.tuple(price, price), usage, fc.boolean(), ([present, next], used, isNight) => {
        const atMs = Date.parse(isNight ? '2026-11-17T01:00:00Z' : '2026-11-17T12:00:00Z')
        const withoutHours = (whole: Price): Price => {
          return { ...whole, variants: (whole.variants ?? []).filter(({ when }) => when.hours === undefined) }
        }
        const both = replaceWhere(present, withoutHours(next), { hours: '00:00-02:00' })
        expect(costAt(both, used, atMs)).toBe(costAt(isNight ? withoutHours(next) : present, used, atMs))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a price from now on', () => {
  const dated = fc
    .tuple(lasting, rates, fc.constantFrom(undefined, NOW_MS, LATER_MS), fc.constantFrom(undefined, NOW_MS))
    .map(([when, named, fromMs, untilMs]): PriceVariant => {
      const times = { ...(fromMs && { fromMs }), ...(untilMs && { untilMs }) }
      return { when: fromMs === undefined ? { ...when, ...times } : times, ...named }
    })

  test('costs the same for every later request', () => {
    const datedPrice = fc
      .tuple(rates, fc.array(dated, { maxLength: 4 }))
      .map(([named, variants]) => priceWith({ ...named, variants }))
    const time = fc.constantFrom(NOW_MS, LATER_MS, LATER_MS + 12 * 3_600_000)
    fc.assert(
      fc.property(datedPrice, usage, time, (whole, used, atMs) => {
        expect(costAt(priceSince(whole, NOW_MS), used, atMs)).toBe(costAt(whole, used, atMs))
      }),
      { numRuns: 2_000 },
    )
  })

  test('has no variants that are over or have become the rule', () => {
    const variants = [
      { when: { untilMs: NOW_MS }, outputNanoPerMillion: 1n },
      { when: { promptAbove: 5 }, inputNanoPerMillion: 2n },
      { when: { fromMs: NOW_MS }, inputNanoPerMillion: 3n },
      { when: { fromMs: NOW_MS, tier: 'flex' as const }, inputNanoPerMillion: 4n },
    ]
    expect(priceSince(priceWith({ variants }), NOW_MS)).toEqual(
      priceWith({ inputNanoPerMillion: 3n, variants: [{ when: { tier: 'flex' }, inputNanoPerMillion: 4n }] }),
    )
  })

  test('is the same as another that is only written differently', () => {
    const variants = [{ when: { fromMs: NOW_MS - 1 }, inputNanoPerMillion: 3n }]
    const written = { ...priceWith({ inputNanoPerMillion: 3n }), requestNano: undefined }
    expect(isSamePrice(priceWith({ variants }), written, NOW_MS)).toBe(true)
    expect(isSamePrice(priceWith({ variants }), written, NOW_MS - 2)).toBe(false)
    expect(isSamePrice(priceWith(), priceWith({ webSearchNano: 1n }), NOW_MS)).toBe(false)
  })
})
