import { describe, expect, test } from 'bun:test'
import { countUsage, describeUsage, linePer, lineQuantity, listUsage, summarizeUsage } from './usage-words.ts'

const NOTHING = { input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0, images: 0 }

describe('what a request used', () => {
  test('is tokens, with cached ones in the prompt', () => {
    const usage = { ...NOTHING, input: 1_000, cache_read: 200, output: 30 }
    expect(describeUsage(usage)).toEqual({ label: 'Tokens', value: '1,200 → 30' })
    expect(summarizeUsage(usage)).toBe('1,200 → 30')
    expect(countUsage(usage)).toEqual({ label: 'Tokens', value: '1,230' })
  })

  test('is the unit of requests that are not sold by tokens', () => {
    const summary = (details: object, images = 0) => summarizeUsage({ ...NOTHING, images, details })
    expect(summary({}, 1)).toBe('1 image')
    expect(summary({ search_units: 2 })).toBe('2 search units')
    expect(summary({ audio_ms: 12_400 })).toBe('12.4 s of audio')
    expect(summary({ characters: 1_200 })).toBe('1,200 characters')
    expect(countUsage({ ...NOTHING, details: { audio_ms: 75_000 } })).toEqual({
      label: 'Audio',
      value: '1 min 15 s',
    })
  })

  test('lists tokens only if there are some, or nothing else', () => {
    expect(listUsage({ ...NOTHING, details: { search_units: 1 } })).toEqual([
      { label: 'Search units', value: '1' },
    ])
    expect(listUsage(NOTHING).map(({ label }) => label)).toContain('Input')
    const transcribed = listUsage({ ...NOTHING, input: 5, details: { audio_input: 4, audio_ms: 500 } })
    expect(transcribed).toContainEqual({ label: 'Audio input', value: '4' })
    expect(transcribed).toContainEqual({ label: 'Audio', value: '500 ms' })
    expect(transcribed).toContainEqual({ label: 'Input', value: '5' })
  })
})

test('a line of a bill multiplies seconds by the price of a minute', () => {
  expect(lineQuantity({ quantity: 12_345, per: 'minute' })).toBe('12.345 s')
  expect(linePer({ per: 'minute' })).toBe('a minute')
  expect(lineQuantity({ quantity: 12_345, per: 'million' })).toBe('12,345')
})
