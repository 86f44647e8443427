import { describe, expect, test } from 'bun:test'
import type { ConditionalPrice, ModelPrice } from '@pydantic/genai-prices'
import fc from 'fast-check'
import { priceOf } from '../../rules/ledger/charge.ts'
import { applicableRates } from '../../rules/ledger/rates.ts'
import { convertPrice } from './convert-price.ts'

const USD = 1_000_000_000n

function convert(listed: ModelPrice | ConditionalPrice[]) {
  const converted = convertPrice(listed)
  if (converted === null) throw new Error('not converted')
  return converted
}

describe('a price of the list', () => {
  test('has every kind of token and unit in nano-USDT', () => {
    const listed = {
      input_mtok: 5,
      output_mtok: 10,
      cache_read_mtok: 0.003625,
      cache_write_mtok: 6.25,
      cache_write_1h_mtok: 10,
      output_reasoning_mtok: 12,
      input_audio_mtok: 32,
      cache_audio_read_mtok: 0.4,
      output_audio_mtok: 64,
      input_image_mtok: 8,
      cache_image_read_mtok: 2,
      output_image_mtok: 30,
      requests_kcount: 5,
      web_searches_kcount: 10,
    }
    expect(convert(listed)).toEqual({
      price: {
        inputNanoPerMillion: 5n * USD,
        outputNanoPerMillion: 10n * USD,
        cacheReadNanoPerMillion: 3_625_000n,
        cacheWriteNanoPerMillion: 6_250_000_000n,
        cacheWrite1hNanoPerMillion: 10n * USD,
        reasoningNanoPerMillion: 12n * USD,
        audioInputNanoPerMillion: 32n * USD,
        audioCacheReadNanoPerMillion: 400_000_000n,
        audioOutputNanoPerMillion: 64n * USD,
        imageInputNanoPerMillion: 8n * USD,
        imageCacheReadNanoPerMillion: 2n * USD,
        imageOutputNanoPerMillion: 30n * USD,
        imageNano: 0n,
        requestNano: 5_000_000n,
        webSearchNano: 10_000_000n,
      },
      leftOut: [],
    })
  })

  test('charges cached tokens as others where it does not price them apart', () => {
    expect(convert({ input_mtok: 3, output_mtok: 4 }).price).toMatchObject({
      cacheReadNanoPerMillion: 3n * USD,
      cacheWriteNanoPerMillion: 3n * USD,
    })
  })

  test('names what a route cannot charge', () => {
    const listed = { input_mtok: 1, output_mtok: 2, storage_searches_kcount: 2.5, input_video_mtok: 9 }
    expect(convert(listed).leftOut).toEqual(['input_video_mtok', 'storage_searches_kcount'])
  })

  test('is none when it is not by tokens', () => {
    expect(convertPrice({ audio_hours: 0.36 })).toBeNull()
    expect(convertPrice({})).toBeNull()
  })

  test('of an embedding model has no price for output', () =>
    expect(convert({ input_mtok: 0.13 }).price.outputNanoPerMillion).toBe(0n))
})

describe('a tier', () => {
  const tiered = (base: number, ...tiers: [start: number, price: number][]) => ({
    base,
    tiers: tiers.map(([start, price]) => ({ start, price })),
  })

  test('is for the whole request above its start', () => {
    const { price } = convert({
      input_mtok: tiered(2, [200_000, 4]),
      cache_read_mtok: tiered(0.2, [200_000, 0.4]),
      output_mtok: tiered(12, [200_000, 18]),
    })
    expect(price.variants).toEqual([
      {
        when: { promptAbove: 200_000 },
        inputNanoPerMillion: 4n * USD,
        cacheReadNanoPerMillion: 400_000_000n,
        outputNanoPerMillion: 18n * USD,
        cacheWriteNanoPerMillion: 4n * USD,
      },
    ])
  })

  test('comes after lower ones, however the list orders them', () => {
    const { price } = convert({ input_mtok: tiered(1, [300, 3], [100, 2]), output_mtok: 1 })
    expect(price.variants?.map(({ when, inputNanoPerMillion }) => [when, inputNanoPerMillion])).toEqual([
      [{ promptAbove: 100 }, 2n * USD],
      [{ promptAbove: 300 }, 3n * USD],
    ])
  })
})

describe('a list of prices', () => {
  const AUGUST = { type: 'start_date', start_date: '2026-08-17' } as const
  const peak = (start_time: string, end_time: string) => {
    return { type: 'time_of_date', start_time, end_time } as const
  }
  const rates = (input_mtok: number, output_mtok: number) => ({ input_mtok, output_mtok })

  /** What a million tokens of input and output cost at a time. */
  function costAt(listed: ConditionalPrice[], time: string): string {
    const facts = { promptTokens: 1_000_000, serviceTier: null, startedAtMs: Date.parse(time) }
    const applied = applicableRates(convert(listed).price, facts)
    return `${applied.inputNanoPerMillion / USD}/${applied.outputNanoPerMillion / USD}`
  }

  test('changes at a date', () => {
    const listed = [{ prices: rates(10, 40) }, { constraint: AUGUST, prices: rates(2, 8) }]
    expect(costAt(listed, '2026-08-16T23:59:59Z')).toBe('10/40')
    expect(costAt(listed, '2026-08-17T00:00:00Z')).toBe('2/8')
  })

  test('takes the last that matches as a whole: a tier of an earlier price is gone', () => {
    const before = { input_mtok: { base: 5, tiers: [{ start: 200, price: 10 }] }, output_mtok: 25 }
    const listed = [{ prices: before }, { constraint: AUGUST, prices: rates(5, 25) }]
    expect(costAt(listed, '2026-01-01T00:00:00Z')).toBe('10/25')
    expect(costAt(listed, '2026-09-01T00:00:00Z')).toBe('5/25')
  })

  test('forgets a kind that a later price does not tell apart', () => {
    const listed = [
      { prices: { ...rates(5, 25), input_audio_mtok: 50, web_searches_kcount: 10 } },
      { constraint: AUGUST, prices: rates(6, 30) },
    ]
    const facts = { promptTokens: 0, serviceTier: null, startedAtMs: Date.parse('2026-09-01T00:00:00Z') }
    const usage = { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, images: 0 }
    const details = { audioInput: 1_000_000, webSearches: 100 }
    const applied = applicableRates(convert(listed).price, facts)
    expect(priceOf({ ...usage, details }, applied)).toBe(6n * USD)
  })

  test('has hours of the day, in UTC whatever zone they are written in', () => {
    const listed = [
      { prices: rates(1, 2) },
      { constraint: peak('09:00:00+08:00', '12:00:00+08:00'), prices: rates(3, 4) },
      { constraint: peak('22:30:00Z', '00:30:00Z'), prices: rates(5, 6) },
    ]
    expect(costAt(listed, '2026-09-01T01:00:00Z')).toBe('3/4')
    expect(costAt(listed, '2026-09-01T04:00:00Z')).toBe('1/2')
    expect(costAt(listed, '2026-09-01T23:59:00Z')).toBe('5/6')
    expect(costAt(listed, '2026-09-01T00:30:00Z')).toBe('1/2')
  })

  test('is not taken when a condition cannot be told', () => {
    const odd = [{ prices: rates(1, 2) }, { constraint: peak('01:00:30Z', '04:00:00Z'), prices: rates(3, 4) }]
    expect(convertPrice(odd)).toBeNull()
  })

  test('charges as the list does, at any time and for any prompt', () => {
    const amount = fc.integer({ min: 0, max: 1_000 }).map((cents) => cents / 100)
    const tiered = fc.record({
      base: amount,
      tiers: fc.array(fc.record({ start: fc.constantFrom(100, 200), price: amount }), { maxLength: 1 }),
    })
    const listed = fc.array(fc.record({ input_mtok: tiered, output_mtok: amount }), {
      minLength: 3,
      maxLength: 3,
    })
    const hour = fc.integer({ min: 0, max: 23 })
    fc.assert(
      fc.property(listed, fc.constantFrom(50, 150, 250), hour, ([one, two, three], promptTokens, at) => {
        const entries: ConditionalPrice[] = [
          { prices: one as ModelPrice },
          { constraint: AUGUST, prices: two as ModelPrice },
          { constraint: peak('06:00:00Z', '10:00:00Z'), prices: three as ModelPrice },
        ]
        const startedAtMs = Date.parse('2026-09-01T00:00:00Z') + at * 3_600_000
        const chosen = at >= 6 && at < 10 ? three : two
        const tier = chosen?.input_mtok.tiers.find(({ start }) => promptTokens > start)
        const expected = BigInt(Math.round((tier?.price ?? chosen?.input_mtok.base ?? 0) * 1e9))
        const facts = { promptTokens, serviceTier: null, startedAtMs }
        expect(applicableRates(convert(entries).price, facts).inputNanoPerMillion).toBe(expected)
      }),
    )
  })
})
